# R's cv.glmnet with given folds, in parallel; options: tol, folds (file), n_jobs.

args <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
source(file.path(here, "common.R"))
import_seconds <- load_package("glmnet")

task <- read_task(args[1])
options <- jsonlite::fromJSON(args[3])
glmnet.control(fdev = 0, devmax = 1)
folds <- read_numbers(args[1], "folds", "integer", task$meta$n) + 1
in_parallel <- requireNamespace("doParallel", quietly = TRUE)
if (in_parallel) doParallel::registerDoParallel(cores = options$n_jobs)

fit <- function() {
  cv.glmnet(task$x, factor(task$z), family = "multinomial", type.multinomial = "grouped", lambda = task$lams,
            thresh = options$tol, maxit = 1e8, foldid = folds, parallel = in_parallel)
}

result <- measure(fit, options$repeats, import_seconds)
# Deviance is twice the mean loss.
facts <- c(result$facts, list(cv_loss = result$value$cvm / 2, parallel = in_parallel,
                              version = as.character(packageVersion("glmnet"))))
write_result(args[2], facts)

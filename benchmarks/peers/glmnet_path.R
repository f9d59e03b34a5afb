# R's glmnet: binomial, grouped and ungrouped multinomial paths.
# Usage: Rscript glmnet_path.R TASK_FOLDER RESULT_FOLDER '{"tol": 1e-7, "repeats": 3}'

args <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
source(file.path(here, "common.R"))
import_seconds <- load_package("glmnet")

task <- read_task(args[1])
options <- jsonlite::fromJSON(args[3])
# A path that stops early is no path: glmnet must not stop at a deviance of its choice.
glmnet.control(fdev = 0, devmax = 1)
is_binary <- task$meta$n_classes == 2
grouped <- if (task$meta$penalty == "rows-symmetric") "grouped" else "ungrouped"

fit <- function() {
  if (is_binary) {
    return(glmnet(task$x, task$z, family = "binomial", lambda = task$lams, thresh = options$tol, maxit = 1e8))
  }
  glmnet(task$x, factor(task$z), family = "multinomial", type.multinomial = grouped, lambda = task$lams,
         thresh = options$tol, maxit = 1e8)
}

result <- measure(fit, options$repeats, import_seconds)
path <- result$value
n_lams <- length(path$lambda)
if (is_binary) {
  coefs <- array(as.matrix(path$beta), c(task$meta$p, 1, n_lams))
  intercepts <- matrix(path$a0, 1)
} else {
  coefs <- aperm(array(sapply(path$beta, as.matrix), c(task$meta$p, n_lams, length(path$beta))), c(1, 3, 2))
  intercepts <- path$a0
}
facts <- c(result$facts, list(version = as.character(packageVersion("glmnet"))))
write_result(args[2], facts, coefs, intercepts)

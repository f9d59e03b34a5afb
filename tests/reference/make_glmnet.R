# Reference numbers from glmnet: binomial lasso and grouped multinomial lasso.
# Run from this directory: Rscript make_glmnet.R
suppressPackageStartupMessages(library(glmnet))

# A small JSON writer: numbers keep 17 significant digits where 15 do not suffice.
num <- function(x) {
  if (is.integer(x)) return(as.character(x))
  short <- sprintf("%.15g", x)
  ifelse(as.numeric(short) == x, short, sprintf("%.17g", x))
}
to_json <- function(x, indent = "") {
  inner <- paste0(indent, "  ")
  if (is.list(x)) {
    named <- !is.null(names(x))
    items <- vapply(seq_along(x), function(i) {
      key <- if (named) sprintf('"%s": ', names(x)[i]) else ""
      paste0(inner, key, to_json(x[[i]], inner))
    }, "")
    ends <- if (named) c("{", "}") else c("[", "]")
    paste0(ends[1], "\n", paste(items, collapse = ",\n"), "\n", indent, ends[2])
  } else {
    v <- if (is.character(x)) sprintf('"%s"', x) else num(x)
    if (length(x) == 1) v else paste0("[", paste(v, collapse = ", "), "]")
  }
}
write_json <- function(x, file) writeLines(to_json(x), file)

versions <- list(
  R = paste(R.version$major, R.version$minor, sep = "."),
  glmnet = as.character(packageVersion("glmnet"))
)
# Fit at every lambda given, however small the change in deviance.
invisible(glmnet.control(fdev = 0, devmax = 1))

standardise <- function(x) {
  centred <- sweep(x, 2, colMeans(x))
  sweep(centred, 2, sqrt(colMeans(centred^2)), "/")
}

# --- binomial lasso ---------------------------------------------------------
d <- read.csv("glmnet_binomial_data.csv")
x <- as.matrix(d[, -1])
y <- d$y
lam_max <- max(abs(crossprod(standardise(x), y - mean(y)))) / nrow(x)
lambda <- lam_max * c(0.9, 0.6, 0.3, 0.15, 0.06, 0.02)
fit <- glmnet(x, y, family = "binomial", lambda = lambda, standardize = TRUE,
              thresh = 1e-14, maxit = 1e7)
stopifnot(fit$jerr == 0, length(fit$lambda) == length(lambda))
beta <- as.matrix(fit$beta)
write_json(list(
  objective = "mean negative log-likelihood + lam * sum_j |theta_j|, theta on columns of mean 0 and variance 1 (divisor n); coefficients below are on the original scale",
  data = "glmnet_binomial_data.csv",
  versions = versions,
  thresh = 1e-14,
  lam_max = lam_max,
  lambda = fit$lambda,
  intercept = unname(fit$a0),
  coef = lapply(seq_along(lambda), function(k) unname(beta[, k]))
), "glmnet_binomial.json")

# --- grouped multinomial lasso ----------------------------------------------
d <- read.csv("glmnet_multinomial_data.csv")
x <- as.matrix(d[, -1])
y <- d$y
onehot <- outer(y, sort(unique(y)), "==") + 0
resid <- sweep(onehot, 2, colMeans(onehot))
lam_max <- max(sqrt(rowSums(crossprod(standardise(x), resid)^2))) / nrow(x)
lambda <- lam_max * c(0.9, 0.5, 0.25, 0.1, 0.03)
fit <- glmnet(x, factor(y), family = "multinomial", type.multinomial = "grouped",
              lambda = lambda, standardize = TRUE, thresh = 1e-14, maxit = 1e7)
stopifnot(fit$jerr == 0, length(fit$lambda) == length(lambda))
beta <- lapply(fit$beta, as.matrix)
write_json(list(
  objective = "mean negative log-likelihood of the symmetric softmax over all classes + lam * sum_j ||theta_j||_2 (theta_j: the coefficients of column j in all classes), theta on columns of mean 0 and variance 1 (divisor n); coefficients below are on the original scale",
  data = "glmnet_multinomial_data.csv",
  versions = versions,
  thresh = 1e-14,
  classes = as.integer(fit$classnames),
  lam_max = lam_max,
  lambda = fit$lambda,
  layout = "intercept[k][class], coef[k][class][column], k the index of lambda",
  intercept = lapply(seq_along(lambda), function(k) unname(fit$a0[, k])),
  coef = lapply(seq_along(lambda), function(k) lapply(unname(beta), function(b) unname(b[, k])))
), "glmnet_multinomial.json")

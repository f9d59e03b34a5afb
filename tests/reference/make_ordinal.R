# Reference numbers from ordinalNet (lasso path) and ordinalgmifs (forward stagewise): cumulative logits.
# Run from this directory: Rscript make_ordinal.R
suppressPackageStartupMessages({
  library(ordinalNet)
  library(ordinalgmifs)
})


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
  ordinalNet = as.character(packageVersion("ordinalNet")),
  ordinalgmifs = as.character(packageVersion("ordinalgmifs"))
)
d <- read.csv("ordinal_data.csv")
x <- as.matrix(d[, -1])
y <- factor(d$y, ordered = TRUE)
standardise <- function(x) {
  centred <- sweep(x, 2, colMeans(x))
  sweep(centred, 2, sqrt(colMeans(centred^2)), "/")
}

# --- ordinalNet: the lasso path ---------------------------------------------
first <- ordinalNet(x, y, nLambda = 2)$lambdaVals[1]
lambda <- first * c(0.8, 0.5, 0.25, 0.1, 0.03)
fit <- ordinalNet(x, y, lambdaVals = lambda, stopThresh = 1e-14, threshOut = 1e-14,
                  threshIn = 1e-14, maxiterOut = 10000, maxiterIn = 10000)
k <- nlevels(y) - 1
rows <- seq_along(lambda)
write_json(list(
  objective = "mean negative log-likelihood of P(y <= j) = sigmoid(intercept_j + x'beta) + lam * sum_j |beta_j|, beta on columns of mean 0 and variance 1 (divisor n); coefficients below are on the original scale",
  data = "ordinal_data.csv",
  versions = versions,
  lam_max = first,
  lambda = fit$lambdaVals,
  intercept = lapply(rows, function(i) unname(fit$coefs[i, seq_len(k)])),
  coef = lapply(rows, function(i) unname(fit$coefs[i, -seq_len(k)]))
), "ordinalnet.json")

# --- ordinalgmifs: small steps down the steepest coordinate -----------------
# Its columns are standardised here, to leave no doubt about the divisor.
w <- standardise(x)
frame <- data.frame(y = y, w)
epsilon <- 0.0005
steps <- ordinalgmifs(y ~ 1, x = colnames(w), data = frame, epsilon = epsilon, tol = 1e-6,
                      scale = FALSE, probability.model = "Cumulative")
keep <- round(nrow(steps$beta) * c(0.1, 0.3, 0.6))
write_json(list(
  objective = "log-likelihood of P(y <= j) = sigmoid(alpha_j + w'beta), w the columns with mean 0 and variance 1 (divisor n), after some steps of size epsilon",
  data = "ordinal_data.csv",
  versions = versions,
  epsilon = epsilon,
  alpha = lapply(keep, function(i) unname(steps$alpha[i, ])),
  beta = lapply(keep, function(i) unname(steps$beta[i, ])),
  log_likelihood = unname(steps$logLik[keep])
), "ordinalgmifs.json")

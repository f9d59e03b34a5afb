# Reference numbers from PUlasso: its example data simulPU, and
# pulasso_case_control_data.csv.
# Run from this directory: Rscript make_pulasso.R
suppressPackageStartupMessages(library(PUlasso))

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
  PUlasso = as.character(packageVersion("PUlasso"))
)
eps <- 1e-11

objective <- paste(
  "-(1/n) sum_i log P(z_i|x_i) + penalty, P(z=1|x) = a e / (1 + (1 + a) e),",
  "e = exp(x'theta + b), a = n_l / (prevalence * n_u)"
)
relation <- paste(
  "PUlasso minimises n times this objective with the same lam,",
  "so lam_of_our_objective = lambda"
)

# Fit PUlasso's own path of 100 lambdas and keep six of them.
fit_path <- function(x, z, py1, group = seq_len(ncol(x)), keep = c(2, 20, 40, 60, 80, 100), ...) {
  fit <- grpPUlasso(x, z, py1 = py1, group = group, eps = eps, inner_eps = eps,
                    maxit = 1e6, maxit_inner = 1e9, ...)
  stopifnot(all(fit$optResult$convergence == 0))
  list(
    lambda = fit$lambda[keep],
    lam_of_our_objective = fit$lambda[keep],
    lambda_first_of_path = fit$lambda[1],
    coef = lapply(keep, function(k) unname(fit$coef[, k]))
  )
}

lasso_penalty <- "lam * sum_j |theta_j|, theta on columns of mean 0 and variance 1 (divisor n)"
layout <- "coef[k] = (intercept, theta) on the original scale, k the index of lambda"

# --- the package's example data ---------------------------------------------
data("simulPU")
write_json(c(list(
  objective = objective,
  penalty = lasso_penalty,
  lambda_relation = relation,
  data = "simulPU of the R package PUlasso (not stored here)",
  versions = versions,
  eps = eps,
  n = nrow(simulPU$X),
  n_labelled = as.integer(sum(simulPU$z)),
  truePY1 = simulPU$truePY1,
  layout = layout
), fit_path(simulPU$X, simulPU$z, simulPU$truePY1)), "pulasso_simulPU.json")

# --- data of our own --------------------------------------------------------
d <- read.csv("pulasso_case_control_data.csv")
x <- as.matrix(d[, paste0("x", 1:5)])
group <- c(1L, 2L, 2L, 3L, 3L)
write_json(list(
  objective = objective,
  lambda_relation = relation,
  data = "pulasso_case_control_data.csv",
  versions = versions,
  eps = eps,
  prevalence = d$py1[1],
  layout = layout,
  lasso = c(list(penalty = lasso_penalty), fit_path(x, d$z, d$py1[1])),
  group_orthonormalised = c(list(
    penalty = "lam * sum_g sqrt(size_g) * ||Xc_g theta_g||_2 / sqrt(n), Xc the centred columns",
    note = paste(
      "PUlasso orthonormalises within each group, so this is NOT the penalty",
      "lam * sum_g sqrt(size_g) * ||theta_g||_2 on standardised columns, and the",
      "coefficients do not compare with a group fit of the data as they stand.",
      "The two penalties agree after each group of centred columns has been replaced",
      "by Xc_g L with L'Xc_g'Xc_g L / n = I; coefficients theta_w of those columns",
      "are theta_g = L theta_w here, and the fitted x'theta + b are the same."
    ),
    group = group
  ), fit_path(x, d$z, d$py1[1], group = group)),
  # Without a penalty it is the EM algorithm of Ward et al. (2009), with another minimiser.
  ward = c(list(penalty = "none"), fit_path(x, d$z, d$py1[1], keep = 1, lambda = 0))
), "pulasso_case_control.json")

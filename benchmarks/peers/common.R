# What the R solvers share: tasks, time, memory. See exchange.py for the files.

read_numbers <- function(folder, name, what, n) {
  path <- file.path(folder, paste0(name, ".bin"))
  readBin(path, what, n, size = if (what == "integer") 4 else 8)
}

read_task <- function(folder) {
  meta <- jsonlite::fromJSON(file.path(folder, "meta.json"))
  size <- function(name, bytes) file.size(file.path(folder, paste0(name, ".bin"))) / bytes
  if (meta$sparse) {
    x <- Matrix::sparseMatrix(
      i = read_numbers(folder, "indices", "integer", size("indices", 4)), index1 = FALSE,
      p = read_numbers(folder, "indptr", "integer", meta$p + 1),
      x = read_numbers(folder, "data", "double", size("data", 8)), dims = c(meta$n, meta$p))
  } else {
    x <- matrix(read_numbers(folder, "X", "double", meta$n * meta$p), meta$n, meta$p)
  }
  list(x = x, z = read_numbers(folder, "z", "integer", meta$n),
       lams = read_numbers(folder, "lams", "double", meta$n_lams), meta = meta)
}

memory_mb <- function(field) {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep(paste0("^", field), lines, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else 0
}

# Call fit once cold and a few times warm; see measure() in common.py.
measure <- function(fit, repeats, import_seconds, long = 20) {
  invisible(gc())
  try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
  before <- memory_mb("VmRSS")
  wall <- cpu <- numeric()
  peak <- NA
  for (i in 0:repeats) {
    used <- system.time(value <- fit(), gcFirst = FALSE)
    wall <- c(wall, used[["elapsed"]])
    cpu <- c(cpu, sum(used[c("user.self", "sys.self", "user.child", "sys.child")]))
    if (i == 0) peak <- memory_mb("VmHWM") - before
    if (sum(wall) > long) break
  }
  best <- if (length(wall) == 1) 1 else 1 + which.min(wall[-1])
  load <- tryCatch(as.numeric(strsplit(readLines("/proc/loadavg"), " ")[[1]][1]), error = function(e) NA)
  facts <- list(cold = import_seconds + wall[1], import = import_seconds, warm = wall[best], cpu = cpu[best],
                runs = length(wall), peak_mb = peak, load = load)
  list(value = value, facts = facts)
}

# coefs: array of features x classes x lams; intercepts: classes x lams
write_result <- function(folder, facts, coefs = NULL, intercepts = NULL) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  if (!is.null(coefs)) {
    facts$coefs_shape <- rev(dim(coefs))
    writeBin(as.double(coefs), file.path(folder, "coefs.bin"))
    writeBin(as.double(intercepts), file.path(folder, "intercepts.bin"))
  }
  writeLines(jsonlite::toJSON(facts, auto_unbox = TRUE, digits = NA), file.path(folder, "result.json"))
}

# The seconds that loading a package takes.
load_package <- function(name) system.time(suppressMessages(library(name, character.only = TRUE)))[["elapsed"]]

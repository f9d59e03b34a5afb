"""Everything that touches what users pass in: features, labels, weights, files and chunks of rows."""

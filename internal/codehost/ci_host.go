package codehost

// CIOf returns the CI of a host. ok is false if the host does not offer it.
func CIOf(h Host) (ci CI, ok bool) { return optionalInterface[CI](h, true) }

// Package supply holds what is linked into the binary and bundled into its console:
// lists of modules and packages with their licences, made by make generate, and versions that are known to be bad.
package supply

// Package supply holds what is linked into the binary: a list of modules with
// their licences, made by make generate, and versions that are known to be bad.
package supply

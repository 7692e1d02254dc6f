// Package supply checks the modules and packages that are linked into the binary and bundled into its
// console: committed lists of them with their licences, made by make generate, and versions with known
// weaknesses.
package supply

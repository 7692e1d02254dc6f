// Package ci tests the files of deploy/ci: the script runs for real, against a checkout and an HTTP server.
package ci

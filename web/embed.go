// Package web is the console that the binary carries: what "make build" has made
// of the sources beside it, or nothing where it was not built.
package web

import (
	"embed"
	"io/fs"
)

// dist has one committed file, so that this compiles without Node.js.
//
//go:embed all:dist
var dist embed.FS

// Console returns the built console, with index.html at its root; nil where it was
// not built.
func Console() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil
	}
	if _, err := fs.Stat(built, "index.html"); err != nil {
		return nil
	}
	return built
}

package main

import (
	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/review/engine"
)

// configuredAnalysers returns the analysers of the environment and the configuration file, nil if neither names any. A
// review of a checkout needs no other setting, so that errors of those are not reported.
func configuredAnalysers(e *env) (engine.Analysers, error) {
	c, _ := e.config() // the settings of analysers are there even if others are wrong
	list, err := analysers.Configure(analysers.Settings{Programs: c.Analysers.Programs, File: c.Analysers.Definitions, DataDir: c.DataDir})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &analysers.Runner{Launcher: e.children, Analysers: list}, nil
}

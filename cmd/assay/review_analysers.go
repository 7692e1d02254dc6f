package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/review/engine"
)

// programs returns the analysers of the environment, the configuration file and --analyser, and the names that the flag
// requests. It returns nil if there are no analysers. A review of a checkout needs no other setting, so that errors of those are
// not reported.
func (r *reviewCmd) programs(e *env) (engine.Analysers, []string, error) {
	c, _ := e.config() // the settings of analysers are there even if others are wrong
	s := analysers.Settings{Programs: c.Analysers.Programs, File: c.Analysers.Definitions, DataDir: c.DataDir}
	list, err := analysers.Configure(s)
	if err != nil {
		return nil, nil, err
	}
	names, err := r.requested(&list, c.DataDir)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	return &analysers.Runner{Launcher: e.children, Analysers: list}, names, nil
}

// requested returns the names that --analyser requests. It adds the analyser of an entry PROFILE=PATH to the list, in place of
// a configured one of that name.
func (r *reviewCmd) requested(list *[]analysers.Analyser, dataDir string) (names []string, err error) {
	for _, entry := range r.Analyser {
		name, _, isProgram := strings.Cut(entry, "=")
		same := func(a analysers.Analyser) bool { return a.Name == name }
		if isProgram {
			one, err := analysers.Configure(analysers.Settings{Programs: []string{entry}, Setting: "--analyser", DataDir: dataDir})
			if err != nil {
				return nil, err
			}
			*list = append(slices.DeleteFunc(*list, same), one...)
		}
		if !slices.ContainsFunc(*list, same) {
			return nil, fmt.Errorf("--analyser: no analyser has the name that entry %d requests: %s. Name one of them, or "+
				"PROFILE=PATH, such as shellcheck=/usr/bin/shellcheck", len(names)+1, configuredNames(*list))
		}
		names = append(names, name)
	}
	return names, nil
}

func configuredNames(list []analysers.Analyser) string {
	if len(list) == 0 {
		return "none is configured"
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return "configured are " + strings.Join(names, ", ")
}

package doctor

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/clip"
)

// analysers starts each configured analyser in its sandbox and asks for its version.
func (e *examination) analysers(ctx context.Context) {
	const code, name = "D027", "analysers"
	s := analysers.Settings{Programs: e.Config.Analysers.Programs, File: e.Config.Analysers.Definitions, DataDir: e.Config.DataDir}
	programs, err := analysers.Configure(s)
	switch {
	case err != nil:
		e.add(code, name, Fail, clip.Line(err.Error()), "Correct the entries; docs/analysers.md describes them.")
		return
	case len(programs) == 0:
		e.add(code, name, Skip, "none are set up", "")
		return
	case e.Parts.Children == nil:
		e.add(code, name, Skip, "no child processes are started", "")
		return
	}
	runner := &analysers.Runner{Launcher: e.Parts.Children, Analysers: programs}
	status, message, fix := foundAnalysers(runner.Examine(ctx))
	e.add(code, name, status, message, fix)
}

// analyserFixes say what to do about an analyser that does not run.
var analyserFixes = map[analysers.Reason]string{
	analysers.NoProgram: "Install the program at the configured path, with --version as one of its options.",
	analysers.Version:   "Install the configured version, or change version in the definition.",
	analysers.Sandbox: "Use a Linux with Landlock among its security modules, on amd64 or arm64, or let assay make user namespaces. Analysers " +
		"with several processes need the namespaces.",
}

// foundAnalysers describes the configured analysers.
func foundAnalysers(found []analysers.Examined) (status Status, message, fix string) {
	status = OK
	var parts, fixes []string
	for _, f := range found {
		if f.Failure == "" {
			parts = append(parts, f.Name+" "+f.Version+" ("+f.Grade+")")
			continue
		}
		status = Warn
		parts = append(parts, f.Name+" does not run: "+f.Why())
		advice := analyserFixes[f.Failure]
		if advice == "" {
			advice = "The log of the process has the reason."
		}
		if !strings.Contains(strings.Join(fixes, " "), advice) {
			fixes = append(fixes, advice)
		}
	}
	return status, strings.Join(parts, "; "), strings.Join(fixes, " ")
}

package analysers

import (
	"context"
	"slices"
)

// Examined is the state of a configured analyser.
type Examined struct {
	Name    string
	Version string // as the program reports it; "" if it does not
	Grade   string // the parts of the sandbox in force
	Failure Reason // why it does not run; "" if it does
}

// Examine starts each analyser in its sandbox and asks for its version. It stops when the context ends.
func (r *Runner) Examine(ctx context.Context) (out []Examined) {
	for _, a := range slices.Clone(r.Analysers) {
		found, err := r.find(ctx, &a)
		if err != nil {
			found.failure = Time
		}
		out = append(out, Examined{Name: a.Name, Version: found.version, Grade: found.grade.String(), Failure: found.failure})
	}
	return out
}

// Why returns the reason as a sentence for operators.
func (e Examined) Why() string {
	switch e.Failure {
	case NoProgram:
		return "the program does not exist, or does not report a version"
	case Version:
		return "it has version " + e.Version + ", and the configuration wants another one"
	case Sandbox:
		return "the system offers no sandbox for it"
	case "":
		return ""
	}
	return "the question for its version failed (" + string(e.Failure) + ")"
}

package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/sandbox"
)

func (e *examination) children(ctx context.Context) {
	const code, name = "D023", "child processes"
	if e.Parts.Children == nil {
		e.add(code, name, Skip, "none are started", "")
		return
	}
	s, err := e.Parts.Children.Probe(ctx)
	if err != nil {
		e.add(code, name, Fail, "files of pull requests cannot be read: "+clip.Line(err.Error()),
			"Let the program start itself again: /proc must be mounted, and the account needs room for another process.")
		return
	}
	status, message, fix := held(s, e.Config.Sandbox == config.SandboxRequired)
	e.add(code, name, status, message, fix)
}

// held describes the limits of the processes that read files of pull requests.
func held(s sandbox.Status, required bool) (status Status, message, fix string) {
	switch why := s.Lacks(); {
	case required && why != "":
		return Fail, "nothing is reviewed here, because ASSAY_SANDBOX is required; missing: " + why,
			"Use a Linux with Landlock among its security modules, on amd64 or arm64, and a container profile that lets its system calls " +
				"and seccomp through, or set ASSAY_SANDBOX to preferred."
	case !s.Limits:
		return Fail, "files of pull requests are read without limits; missing: " + strings.Join(s.Missing, "; "), "Run assay on Linux."
	case len(s.Missing) > 0:
		holds := "limits of memory, processor time and files"
		without := ""
		if s.Landlock > 0 {
			holds += fmt.Sprintf(", and no files (Landlock %d),", s.Landlock)
		} else {
			without += " Without Landlock a defect of a parser could read files of this account."
		}
		if s.Seccomp {
			holds += ", and a filter that keeps them from networks and other processes,"
		} else {
			without += " Without seccomp a defect of a parser could reach networks and other processes."
		}
		return Warn, holds + " are in force; missing: " + strings.Join(s.Missing, "; "),
			"Use a Linux with Landlock among its security modules, and a container profile that lets its system calls and seccomp through." + without
	}
	return OK, fmt.Sprintf("limits of memory, processor time and files, no new privileges, no files (Landlock %d), no network and "+
		"no other process (seccomp)", s.Landlock), ""
}

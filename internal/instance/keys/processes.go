package keys

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// heartbeatAge is how long after its last heartbeat a process counts as running. The doctor uses the same time for
// workers.
const heartbeatAge = time.Minute

// maxNamedProcesses is how many processes an error names.
const maxNamedProcesses = 5

// Lacks returns what a running process needs before the newest key may be used; "" if nothing is missing.
func Lacks(p store.Process, newest string) string {
	switch {
	case len(p.Keys) == 0:
		return "its version (" + p.Version + ") does not say which instance keys it has"
	case !slices.Contains(p.Keys, newest):
		return "it lacks the instance key " + newest
	}
	return ""
}

// checkProcesses returns [errs.Conflict] if a running process lacks the newest key or would keep using the
// retired one; retired is "" if no key is retired.
func (s *Service) checkProcesses(ctx context.Context, retired string) error {
	running, err := s.Store.Processes(ctx, heartbeatAge)
	if err != nil {
		return err
	}
	newest := s.Keyring.Keys()[0]
	var behind []string
	for _, p := range running {
		why := Lacks(p, newest)
		if why == "" && p.Keys[0] == retired {
			why = "it has the instance key " + retired + " first, and marks new reviews with it"
		}
		if why != "" {
			behind = append(behind, fmt.Sprintf("%s (%s, seen %d s ago)", processName(p), why, p.SeenUS/time.Second.Microseconds()))
		}
	}
	if len(behind) == 0 {
		return nil
	}
	more := ""
	if n := len(behind) - maxNamedProcesses; n > 0 {
		behind, more = behind[:maxNamedProcesses], fmt.Sprintf("; and %d more", n)
	}
	return errs.New(errs.Conflict, "process_behind", "Not every process that runs is ready for the instance key %s: %s%s. "+
		"Put the newest key first in the configuration of each (ASSAY_INSTANCE_KEY=new,old), restart it, and run this command again. A "+
		"process that was killed counts as running for a minute.",
		newest, strings.Join(behind, "; "), more)
}

func processName(p store.Process) string {
	if p.Name == "" {
		return "process " + p.ID
	}
	return p.Name
}

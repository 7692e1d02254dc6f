package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// maxHostName is the maximum length of a machine's name in heartbeats, in bytes.
const maxHostName = 100

// process describes this process in its heartbeats.
func (a *App) process(roles Roles) store.Process {
	does := "worker"
	switch {
	case roles.API && len(roles.Lanes) > 0:
		does = "serve"
	case roles.API:
		does = "api"
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "an unnamed machine"
	}
	return store.Process{Name: fmt.Sprintf("%s on %s, process %d", does, clip.Bytes(machine, maxHostName), os.Getpid()),
		Version: a.Version, Keys: a.Keyring.Keys()}
}

// heartbeats announces a process without a worker until ctx ends. A worker announces itself.
func (a *App) heartbeats(ctx context.Context, p store.Process) error {
	p.ID = domain.NewID("api")
	s := jobs.Settings{Heartbeat: a.Config.Jobs.Heartbeat}.WithDefaults()
	tick := time.NewTicker(s.Heartbeat)
	defer tick.Stop()
	for {
		if err := a.Store.RecordHeartbeat(ctx, p, nil); err != nil && ctx.Err() == nil {
			a.Logger.WarnContext(ctx, "the process could not announce itself", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			if err := a.Store.ForgetProcesses(last, 10*s.Alive, p.ID); err != nil { // the process would count as running for another minute
				a.Logger.WarnContext(last, "the process could not take its announcement back", "error", err)
			}
			return nil
		}
	}
}

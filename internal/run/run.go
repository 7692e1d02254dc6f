// Package run moves review runs through their states: start, replacement and end.
//
// Each transition includes its consequences: state, history, metric, event and the next job. Therefore all
// features move runs in the same way. The package reads no host and judges no code. Its callers give the
// reason of a start or an end.
package run

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Observer counts the states that runs enter, for metrics. It is called after the transition's transaction
// has committed, and must not block.
type Observer interface{ RunEntered(state string) }

// Runs moves runs. It is safe for concurrent use.
type Runs struct {
	Store    *store.Store
	Observer Observer // may be nil
}

// ErrMoved means that a run has left the state that the caller knew: a newer head arrived, or the pull
// request was closed.
var ErrMoved = errors.New("the run is over: a newer head arrived or the pull request was closed")

// Begin moves a queued run to running, sets its start by the database's clock, and enqueues the job that
// shows it on the host. It returns the current run. moved is false if another worker had begun it.
// [ErrMoved] means that the run has ended meanwhile.
func (r *Runs) Begin(ctx context.Context, run store.Run) (now store.Run, moved bool, err error) {
	err = r.Store.Atomically(ctx, func(ctx context.Context) error {
		moved, err = r.move(ctx, run, store.RunMove{From: domain.RunQueued, To: domain.RunRunning, Cause: "a worker took it"})
		if err != nil || !moved {
			return err
		}
		return r.Show(ctx, run, domain.RunRunning)
	})
	if err != nil {
		return run, false, err
	}
	now, err = r.Store.RunForWork(ctx, run.ID)
	if err == nil && now.State != domain.RunRunning {
		err = ErrMoved
	}
	return now, moved, err
}

// HandOver moves a running run to publishing, with the job that publishes, or to a person's decision. how
// is its history entry. [ErrMoved] means that the run has ended meanwhile; the caller's transaction must
// not commit then.
func (r *Runs) HandOver(ctx context.Context, run store.Run, to domain.RunState, how string) error {
	moved, err := r.move(ctx, run, store.RunMove{From: domain.RunRunning, To: to, Cause: how})
	if err != nil {
		return err
	}
	if !moved {
		return ErrMoved
	}
	if to == domain.RunPublishing {
		return r.enqueue(ctx, run, domain.KindPublish)
	}
	return r.Show(ctx, run, to)
}

// Show enqueues the job that shows a run's new state on the host, once per state. [Runs.End] shows ends.
func (r *Runs) Show(ctx context.Context, run store.Run, entered domain.RunState) error {
	_, err := r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindCheck, FairKey: run.Tenant, Subject: run.ID, Tenant: run.Tenant,
		Dedup: string(domain.KindCheck) + ":" + string(entered) + ":" + run.ID})
	return err
}

// ShowEnd enqueues the job that shows a run's end on the host again. It does nothing before the end. The
// same request twice is one job.
func (r *Runs) ShowEnd(ctx context.Context, run store.Run, request string) error {
	if !run.State.Terminal() {
		return nil
	}
	_, err := r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, FairKey: run.Tenant, Subject: run.ID, Tenant: run.Tenant,
		Dedup: string(domain.KindReflect) + ":" + request + ":" + run.ID})
	return err
}

// move makes a transition, and counts the state after the commit.
func (r *Runs) move(ctx context.Context, run store.Run, m store.RunMove) (bool, error) {
	moved, err := r.Store.MoveRun(ctx, run.Owner(), run.ID, m)
	if err == nil && moved {
		r.count(ctx, m.To)
	}
	return moved, err
}

func (r *Runs) count(ctx context.Context, s domain.RunState) {
	if r.Observer != nil {
		r.Store.AfterCommit(ctx, func() { r.Observer.RunEntered(string(s)) })
	}
}

func (r *Runs) enqueue(ctx context.Context, run store.Run, kind domain.JobKind) error {
	_, err := r.Store.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: run.Tenant, Subject: run.ID, Dedup: string(kind) + ":" + run.ID,
		Tenant: run.Tenant})
	return err
}

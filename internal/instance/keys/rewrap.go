package keys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of repeated steps and of lists.
const (
	maxSwaps  = 20 // tries for one keyset that other processes change
	maxPasses = 20 // passes over all secrets
	maxBroken = 10 // named values that do not open
)

// maxRest bounds the wait after a write (design choice).
const maxRest = 250 * time.Millisecond

// Result is the outcome of [Service.Rewrap].
type Result struct {
	Newest   string
	Wrapped  int64    // keysets newly wrapped with the newest key
	Replaced int64    // replaced data keys
	Resealed int64    // secrets sealed again
	Dropped  int64    // keysets whose replaced data keys were dropped
	Kept     int64    // keysets that still have a replaced data key
	Until    int64    // when those may be dropped, in microseconds
	Broken   []string // values that do not open
	Begun    bool     // whether there was work, and no process kept it from being started
}

// Add adds the numbers of an earlier try to those of r. Kept, Until and Broken stay those of r.
func (r *Result) Add(earlier Result) {
	r.Wrapped += earlier.Wrapped
	r.Replaced += earlier.Replaced
	r.Resealed += earlier.Resealed
	r.Dropped += earlier.Dropped
	r.Begun = r.Begun || earlier.Begun
}

// IsNothingToDo reports whether an error of [Service.Rewrap] says that only one instance key is configured and that it wraps
// everything.
func IsNothingToDo(err error) bool {
	e, ok := errors.AsType[*errs.Error](err)
	return ok && e.Code == nothingToDo
}

// nothingToDo is the code of the error that [IsNothingToDo] recognizes.
const nothingToDo = "one_key"

// Rewrap wraps every data key with the newest instance key. With replace it also replaces each data key
// that another instance key ever wrapped, and seals every secret again. In any case it continues an
// interrupted run, and drops data keys that were replaced [KeepReplaced] ago and seal nothing.
//
// It may run beside the service and beside itself, and may be killed at any time: each step is one guarded
// update, and a run does the remaining steps. It returns an error if there can be no work, or if a running
// process lacks the newest key.
func (s *Service) Rewrap(ctx context.Context, replace bool) (Result, error) {
	out := Result{Newest: s.Keyring.Keys()[0], Broken: []string{}}
	if err := s.Store.CheckInstanceKey(ctx, out.Newest); err != nil {
		return out, err
	}
	w, err := s.readKeysets(ctx)
	if err != nil {
		return out, err
	}
	todo := int64(0)
	for _, k := range w.sets {
		if s.lacks(k, replace) || k.ReplacedUS > 0 {
			todo++
		}
	}
	if todo == 0 {
		if len(s.Keyring.Keys()) == 1 {
			return out, errs.New(errs.Conflict, nothingToDo, "There is nothing to wrap: %s is the only instance key that is configured. "+
				"Put a new one before it (ASSAY_INSTANCE_KEY=new,old), restart every process, and run this command again.", out.Newest)
		}
		return out, nil
	}
	if err := s.checkProcesses(ctx, ""); err != nil {
		return out, err
	}
	out.Begun = true
	begun := fmt.Sprintf("Begun: %d of %d keysets are to change.", todo, len(w.sets))
	if err := s.record(ctx, "instance-key.rewrap", out.Newest, begun); err != nil {
		return out, err
	}
	for _, k := range w.sets {
		if err := s.renew(ctx, k, replace, &out); err != nil {
			return out, err
		}
	}
	if err := s.seal(ctx, &out); err != nil {
		return out, err
	}
	done := fmt.Sprintf("Done: wrapped %d, data keys replaced %d, secrets sealed again %d, replaced data keys dropped %d.",
		out.Wrapped, out.Replaced, out.Resealed, out.Dropped)
	return out, s.record(ctx, "instance-key.rewrap", out.Newest, done)
}

// lacks reports whether a keyset must change.
func (s *Service) lacks(k store.Keyset, replace bool) bool {
	newest := s.Keyring.Keys()[0]
	return secret.WrappedBy(k.Wrapped) != newest || replace && k.BornKey != newest
}

// renew wraps a keyset with the newest key, with a new data key if replace asks for one.
func (s *Service) renew(ctx context.Context, k store.Keyset, replace bool, out *Result) error {
	for range maxSwaps {
		if !s.lacks(k, replace) {
			return nil
		}
		change, keep, count := s.Keyring.Rewrap, s.Store.RewrapKeyset, &out.Wrapped
		if replace && k.BornKey != out.Newest {
			change, keep, count = s.Keyring.ReplaceDataKey, s.Store.ReplaceKeyset, &out.Replaced
		}
		next, err := change(k.Owner, k.Wrapped)
		if err != nil {
			return fmt.Errorf("the data keys of %s: %w", ownerName(k.Owner), err)
		}
		ok, err := gently(ctx, func() (bool, error) { return keep(ctx, k, next) })
		if err != nil {
			return err
		}
		if ok {
			*count++
			s.tell(out)
			return nil
		}
		if k, err = s.Store.KeysetOf(ctx, k.Owner); errs.Is(err, errs.NotFound) {
			return nil // the tenant was deleted
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("the data keys of %s change too often: run the command again", ownerName(k.Owner))
}

// seal seals values again that replaced data keys sealed, and drops replaced data keys that seal nothing.
// The next pass covers values that other processes store meanwhile.
func (s *Service) seal(ctx context.Context, out *Result) error {
	for range maxPasses {
		w, err := s.readKeysets(ctx)
		if err != nil || len(w.replaced) == 0 {
			return err
		}
		changed, broken := int64(0), []string{}
		stale, err := s.eachStale(ctx, w, func(c store.SealedColumn, v store.SealedValue) error {
			scope := secret.Scope{Tenant: v.Tenant, Table: v.Table, Row: v.Row, Column: v.Column}
			plain, err := s.Keyring.Open(ctx, scope, v.Sealed)
			if errors.Is(err, secret.ErrSealBroken) {
				if len(broken) < maxBroken {
					broken = append(broken, fmt.Sprintf("%s.%s of %s", v.Table, c.Column, v.Row))
				}
				return nil
			}
			if err != nil {
				return err
			}
			sealed, err := s.Keyring.Seal(ctx, scope, plain)
			if err != nil {
				return err
			}
			ok, err := gently(ctx, func() (bool, error) { return s.Store.Reseal(ctx, c, v, sealed) })
			if ok {
				out.Resealed++
				s.tell(out)
			}
			changed++ // counts values that another process changed too: they are read again
			return err
		})
		if err != nil {
			return err
		}
		if out.Broken = broken; changed == 0 {
			return s.drop(ctx, w, stale, out)
		}
	}
	return errors.New("secrets are stored faster than they can be sealed again: run the command again")
}

// drop removes replaced data keys that are old enough and seal nothing.
func (s *Service) drop(ctx context.Context, w keysetList, stale map[string]int64, out *Result) error {
	for _, k := range w.sets {
		if k.ReplacedUS == 0 {
			continue
		}
		if stale[k.Owner] > 0 || k.ReplacedUS+KeepReplaced.Microseconds() > w.now {
			out.Kept++
			out.Until = max(out.Until, k.ReplacedUS+KeepReplaced.Microseconds())
			continue
		}
		next, err := s.Keyring.DropReplaced(k.Owner, k.Wrapped)
		if err != nil {
			return fmt.Errorf("the data keys of %s: %w", ownerName(k.Owner), err)
		}
		ok, err := gently(ctx, func() (bool, error) { return s.Store.TrimKeyset(ctx, k, next) })
		if err != nil {
			return err
		}
		if ok {
			out.Dropped++
		} else {
			out.Kept++
		}
	}
	return nil
}

// gently calls write and then waits as long as it took. SQLite has one writer and does not queue those that
// wait for it, so that write after write would keep the service from writing until it gives up.
func gently(ctx context.Context, write func() (bool, error)) (bool, error) {
	begun := time.Now()
	ok, err := write()
	if err != nil {
		return ok, err
	}
	select {
	case <-time.After(min(time.Since(begun), maxRest)):
		return ok, nil
	case <-ctx.Done():
		return ok, ctx.Err()
	}
}

// tellEvery is the number of changes between two calls of [Service.Progress].
const tellEvery = 50

func (s *Service) tell(r *Result) {
	if n := r.Wrapped + r.Replaced + r.Resealed; s.Progress != nil && n%tellEvery == 0 {
		s.Progress(*r)
	}
}

func (s *Service) record(ctx context.Context, action, key, note string) error {
	return s.Audit.Record(ctx, act(action, key, note))
}

func act(action, key, note string) audit.Act {
	return audit.Act{Action: action, Target: audit.Target{Kind: "instance-key", ID: key}, Note: note}
}

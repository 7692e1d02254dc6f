package audit

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// actionErase is the action of entries that record an erasure. Their bodies name no person and are never
// erased.
const actionErase = "audit.erase"

// eraseBatch is how many bodies one transaction erases (design choice).
const eraseBatch = 1000

// erased is the content of an actionErase entry.
type erased struct {
	First         int64 `json:"first" audit:"track"`
	Last          int64 `json:"last" audit:"track"`
	Count         int   `json:"count" audit:"track"`
	OlderThanDays int   `json:"olderThanDays" audit:"track"`
}

// EraseBodies removes the bodies and salts of all entries that are older than days, and adds entries that
// record it. An erased entry keeps its place, time, action, result and hash.
func (l *Log) EraseBodies(ctx context.Context, t domain.Tenant, days int) error {
	age := (time.Duration(days) * 24 * time.Hour).Microseconds()
	for {
		n, err := l.eraseSome(ctx, t, days, age)
		if err != nil || n < eraseBatch {
			return err
		}
	}
}

func (l *Log) eraseSome(ctx context.Context, t domain.Tenant, days int, age int64) (n int, err error) {
	if _, err := l.key(ctx); err != nil {
		return 0, err
	}
	err = l.store.Atomically(ctx, func(ctx context.Context) error {
		seqs, err := l.store.EraseAuditBodies(ctx, t, age, actionErase, eraseBatch)
		if n = len(seqs); err != nil || n == 0 {
			return err
		}
		e := erased{First: seqs[0], Last: seqs[0], Count: n, OlderThanDays: days}
		for _, s := range seqs {
			e.First, e.Last = min(e.First, s), max(e.Last, s)
		}
		return l.record(ctx, Act{Tenant: t, Action: actionErase, Target: Target{Kind: "audit-log", ID: store.LogID(t)}, After: e})
	})
	return n, err
}

// EraseAll calls [Log.EraseBodies] for every log. It does nothing if days is 0.
func (l *Log) EraseAll(ctx context.Context, days int) error {
	if days <= 0 {
		return nil
	}
	all, err := l.store.AuditLogs(ctx)
	if err != nil {
		return err
	}
	for _, id := range all {
		if id == store.InstanceLog {
			id = ""
		}
		if err := l.EraseBodies(ctx, domain.Tenant{ID: id}, days); err != nil {
			return err
		}
	}
	return nil
}

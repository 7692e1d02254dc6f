package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/errs"
)

const (
	// healthFor is how long an examination is reused (design choice).
	healthFor = 10 * time.Second
	// healthTime is the time limit for an examination; a request has 30 s.
	healthTime = 20 * time.Second
)

// InstanceHealth is the result of an examination of the installation.
type InstanceHealth struct {
	OK         bool          `json:"ok" doc:"No check failed"`
	ExaminedAt time.Time     `json:"examinedAt" doc:"An examination answers for ten seconds"`
	Checks     []HealthCheck `json:"checks" doc:"In the order of their codes, as assay doctor has them"`
}

// HealthCheck is the result of one check.
type HealthCheck struct {
	Code     string `json:"code" doc:"Never changes its meaning" example:"D005"`
	Name     string `json:"name" example:"schema"`
	Status   string `json:"status" enum:"ok,warn,fail,skip" doc:"skip: there is nothing to look at, or an earlier failure hides it"`
	Message  string `json:"message" doc:"What was found; where something is wrong, what" example:"the schema is the newest"`
	Solution string `json:"solution,omitempty" doc:"What to do about it; absent where nothing is wrong"`
}

// examiner caches the newest examination and runs one at a time. It is safe for concurrent use.
type examiner struct {
	turn chan struct{} // holds one token

	mu  sync.Mutex
	out InstanceHealth
}

func newExaminer() *examiner {
	x := &examiner{turn: make(chan struct{}, 1)}
	x.turn <- struct{}{}
	return x
}

// fresh returns the newest examination. It returns false if the examination is too old or missing.
func (x *examiner) fresh(now time.Time) (InstanceHealth, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out, now.Sub(x.out.ExaminedAt) < healthFor
}

// examined returns a fresh examination. Concurrent callers wait for the running one. It continues after its
// first caller has left.
func (x *examiner) examined(ctx context.Context, examine func(context.Context) doctor.Report) (InstanceHealth, error) {
	if out, ok := x.fresh(time.Now()); ok {
		return out, nil
	}
	select {
	case <-x.turn:
	case <-ctx.Done():
		return InstanceHealth{}, &errs.Error{Kind: errs.Unavailable, Code: "unavailable",
			Message: "The installation is being examined. Ask again.", RetryAfter: time.Second, Cause: ctx.Err()}
	}
	defer func() { x.turn <- struct{}{} }()
	if out, ok := x.fresh(time.Now()); ok {
		return out, nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTime)
	defer cancel()
	r := examine(bounded)
	out := InstanceHealth{OK: r.OK, ExaminedAt: time.Now().UTC(), Checks: []HealthCheck{}}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, HealthCheck{Code: c.Code, Name: c.Name, Status: string(c.Status), Message: c.Message, Solution: c.Fix})
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out = out
	return out, nil
}

func (s *server) instanceHealth(ctx context.Context, _ *struct{}) (*Read[InstanceHealth], error) {
	if s.Examine == nil {
		return nil, errs.New(errs.Unavailable, "unavailable", "This process cannot examine the installation. Run assay doctor beside it.")
	}
	return read(s.examinations.examined(ctx, s.Examine))
}

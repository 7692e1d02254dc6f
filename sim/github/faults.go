package github

import (
	"net/http"
	"strconv"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// exchange is a call as faults need it.
func (s *Server) exchange(w http.ResponseWriter, c *call, apply func() *reply) host.Exchange {
	return host.Exchange{W: w, R: c.r, Canned: s.canned,
		Apply:  func(lag string) *reply { c.lag = lag; return apply() },
		Finish: func(rep *reply) { s.finish(w, c.r, c.rec, rep) },
		Fail:   func(status int) *reply { return fail(status, "Server Error") }}
}

// canned is the answer of faults that apply nothing; nil leaves it to the fault.
func (s *Server) canned(f simapi.Fault) *reply {
	now, seconds, status := s.hostTime(), f.RetrySeconds, host.StatusOr(f.Status, http.StatusForbidden)
	switch f.Action {
	case simapi.SecondaryRetryAfter:
		return secondaryLimit(status).Set("Retry-After", strconv.Itoa(seconds))
	case simapi.SecondaryRetryDate:
		return secondaryLimit(status).Set("Retry-After", now.Add(time.Duration(seconds)*time.Second).UTC().Format(http.TimeFormat))
	case simapi.SecondaryBodyOnly:
		rep := secondaryLimit(status)
		rep.Bare = true
		return rep
	case simapi.PrimaryLimit:
		limit, _, _ := s.limitSettings()
		return primaryLimit(status, limit, now.Add(time.Duration(seconds)*time.Second))
	case simapi.Forbidden:
		return noAccess()
	case simapi.GraphQLRateLimited:
		return ok(obj{"errors": []obj{{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}}})
	}
	return nil
}

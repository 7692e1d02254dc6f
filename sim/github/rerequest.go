package github

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// Rerequest presses "Re-run" on a check run, or on all checks of its head, as a person. It queues the suite
// again and leaves the check run unchanged, as in GitHub's description of "Rerequest a check run".
func (s *Server) Rerequest(_ context.Context, fullName string, in simapi.RerequestSpec) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	k := r.CheckRuns[in.CheckRun]
	switch {
	case k == nil:
		return errors.New("checkRun: there is no such check run")
	case s.st.user(in.Actor) == nil:
		return errors.New("actor: there is no such account")
	case k.Status != "completed":
		return errors.New("checkRun: only one that is completed can run again")
	}
	suite := r.CheckSuites[k.SuiteID]
	suite.Updated = s.NowMicros()
	if in.All {
		s.emit(r, "check_suite", "rerequested", in.Actor, obj{"check_suite": s.view().hookSuite(r, suite, "queued", nil)})
	} else {
		s.emitCheckRun(r, k, "rerequested", in.Actor)
	}
	s.Touch()
	return nil
}

// hookSuite returns a check suite in an event.
func (v view) hookSuite(r *repository, suite *checkSuite, status string, conclusion any) obj {
	branch := ""
	for _, p := range r.Pulls {
		if p.HeadSHA == suite.HeadSHA {
			branch = p.Head
		}
	}
	return obj{"id": suite.ID, "node_id": nodeID("CS", suite.ID), "head_branch": orNil(branch), "head_sha": suite.HeadSHA, "status": status,
		"conclusion": conclusion, "url": fmt.Sprintf("%s/check-suites/%d", v.repoAPI(r), suite.ID), "before": nil, "after": nil,
		"pull_requests": v.pullsAt(r, suite.HeadSHA), "app": v.hookApp(suite.AppID), "created_at": suite.Created.RFC3339(),
		"updated_at": suite.Updated.RFC3339()}
}

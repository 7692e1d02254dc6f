package gitlab

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// RequireChecks makes the setting "Pipelines must succeed" of a project: merge requests merge only while statuses with
// these names succeed at their head. Without names it removes the requirement.
func (s *Server) RequireChecks(fullPath string, names ...string) error {
	p, err := s.findProject(fullPath)
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p.Required = names
	s.Touch()
	return nil
}

// Mergeable returns an error that names a status that keeps a merge request from its merge, nil if none does.
func (s *Server) Mergeable(fullPath string, iid int) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p, m, err := s.st.find(fullPath, iid)
	if err != nil {
		return err
	}
	return p.unmet(m.now().Head)
}

// unmet returns the error of a required status that does not succeed at a head. The newest status of a name counts. A
// pipeline that is skipped does not count as successful by default (docs.gitlab.com, "Auto-merge", Require a successful
// pipeline for merge). Mu is held.
func (p *project) unmet(head string) error {
	return host.UnmetCheck(p.Required, func(name string) (string, bool) {
		for _, x := range slices.Backward(p.Statuses) {
			if x.SHA == head && x.Name == name {
				return x.State, x.State == "success"
			}
		}
		return "", false
	})
}

package azuredevops

import (
	"context"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// RunOptions configures a simulator that runs as a process. The token is that of an administrator of the sample's project.
type RunOptions = host.RunOptions

// robot is the account of the token that a simulator makes for the sample.
const robot = "assay-bot"

// Run serves until the context ends. It calls ready once with the address of the instance, before the pull requests of the seed are
// opened, so that their service hooks find their receivers.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, "azuredevops", opt, New, func(s *Server) error {
		return demo.Start(ctx, s, opt.Seed, func() error { return s.attach(ctx, opt) }, func() { ready(s.BaseURL()) })
	})
}

// attach makes the service hooks and the token, if the options ask for them.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		if err := s.ChangeRepo(ctx, demo.Repository, simapi.RepoChange{Collaborators: map[string]string{robot: "admin"}}); err != nil {
			return err
		}
		t, err := s.NewToken(ctx, robot, struct{}{})
		if err != nil {
			return err
		}
		if err := host.WriteToken(opt.TokenFile, t.Text); err != nil {
			return err
		}
	}
	if opt.WebhookURL == "" {
		return nil
	}
	secret, err := opt.WebhookSecret()
	if err != nil {
		return err
	}
	return s.hookUp(demo.Repository, opt.WebhookURL, secret)
}

// hookUp makes the service hooks of a repository, unless an earlier run in the same data folder has made them.
func (s *Server) hookUp(full, url, secret string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(full)
	if r == nil {
		return errNoRepo
	}
	for _, h := range s.st.Subscriptions {
		if h.Consumer["url"] == url {
			return nil
		}
	}
	p := s.st.Projects[r.ProjectID]
	for _, event := range []string{eventCreated, eventUpdated, eventComment, eventBuild} {
		h := &subscription{ID: s.st.ID("subscription"), Org: p.Org, ProjectID: p.ID, RepoID: r.ID, Event: event, Status: "enabled",
			Inputs:   map[string]string{"projectId": p.guid(), "repository": r.guid()},
			Consumer: map[string]string{"url": url, "basicAuthUsername": "assay", "basicAuthPassword": secret}}
		s.st.Subscriptions[h.ID] = h
	}
	return nil
}

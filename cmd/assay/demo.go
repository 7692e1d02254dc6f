package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/demo"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// controlToken is the variable with the token that lets a test look into a demo's simulators.
	controlToken = "ASSAY_SIM_CONTROL_TOKEN"
	// demoLink is the life of a demo's sign-in link. It is long, because the demo listens on loopback only.
	demoLink = 12 * time.Hour
)

// demoNote returns the sentence about the simulated parts of a demo.
func demoNote(host string) string {
	return host + " is simulated, as are " + demo.TrackerName + " and a tool server, and the model follows a script. Nothing leaves " +
		"this machine."
}

// demo runs the service with a simulated world around it.
func (e *env) demo(c config.Config, host domain.ConnectionKind, keep bool) (err error) {
	log := e.demoLogger(c)
	slog.SetDefault(log)
	signalled, hard, stop := e.signals()
	defer stop()
	ctx, fail := context.WithCancelCause(signalled)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer fail(nil)

	d, err := demo.Start(ctx, demo.Options{Config: c, Host: host, Keep: keep, FixedListen: isSet(c, "listen"),
		ControlToken: e.variable(controlToken), Logger: log})
	if err != nil {
		return err
	}
	defer closing(d.Close, &err)
	a, err := app.Open(ctx, app.Options{Config: d.Config, Children: e.children, Version: version, Commit: commit(), Logger: log,
		LocalLinks: true, LoopbackPorts: d.Ports}, true)
	if err != nil {
		return err
	}
	defer closing(a.Close, &err)
	link, err := signInLink(ctx, a.Store, d.Config.BaseURL(), store.NewSignInLink{User: a.Boot.Admin, Purpose: store.LinkDemo, Life: demoLink})
	if err != nil {
		return err
	}
	info := &httpapi.DemoInfo{Note: demoNote(d.Host)}
	sign := d.Words().Sign
	for _, p := range d.Pulls() {
		info.Links = append(info.Links, httpapi.DemoLink{Title: fmt.Sprintf("%s%d %s", sign, p.Number, p.Title), URL: p.URL})
		info.Pulls = append(info.Pulls, p.URL)
	}
	ticket, held := d.Ticket(), d.Held()
	info.Links = append(info.Links, httpapi.DemoLink{Title: fmt.Sprintf("%s %s (the ticket of %s%d)", ticket.Key, ticket.Title, sign,
		ticket.Pull), URL: ticket.URL})
	service := demo.Service{Store: a.Store, Tenant: a.Feature.Tenant, Tracking: a.Feature.Tracking, ID: domain.Tenant{ID: a.Boot.Tenant}}
	decided, err := d.HeldDecided(ctx, service)
	if err != nil {
		return err
	}
	heldState := heldWaits
	if decided {
		heldState = heldDecided
	}
	info.Links = append(info.Links, httpapi.DemoLink{Title: fmt.Sprintf("%s%d %s (%s)", sign, held.Number, held.Title,
		heldState), URL: held.URL})
	tasks.Go(func() {
		if err := d.Died(ctx); ctx.Err() == nil {
			fail(err)
		}
	})
	return a.Run(ctx, hard, app.Roles{API: true, Lanes: app.AllLanes(d.Config)}, info, func(app.Running) {
		fmt.Fprint(e.stdout, banner(d, link, heldState))
		tasks.Go(func() {
			err := service.SeedModels(ctx)
			for _, step := range []func(context.Context, demo.Service) error{d.SeedTicket, d.SeedTools} {
				if err == nil {
					err = step(ctx, service)
				}
			}
			if err == nil {
				err = d.Seed(ctx)
			}
			if err != nil && ctx.Err() == nil {
				fail(err)
				return
			}
			tasks.Go(func() {
				if err := d.SeedHeld(ctx, service); err != nil && ctx.Err() == nil {
					fail(err)
					return
				}
				if run, err := d.AwaitHeld(ctx, service); err == nil { // ends with ctx
					fmt.Fprintf(e.stdout, "  waits for approval: %s%d %s; decide at %s/t/%s/repositories/%s/runs/%s?tab=approval\n", sign, held.Number,
						held.Title, d.Config.BaseURL(), run.Tenant, run.Repository, run.ID)
				}
			})
			tasks.Go(func() {
				err := d.FollowReviews(ctx, service, func(o demo.Outcome) { fmt.Fprint(e.stdout, outcome(d, o)) })
				if err != nil && ctx.Err() == nil {
					fail(err)
				}
			})
			_ = d.Watch(ctx, func(p demo.Pull, comments int) { // ends with ctx
				fmt.Fprintf(e.stdout, "  reviewed: %s%d %s (%s)\n", sign, p.Number, p.Title, inline(comments))
			})
		})
	})
}

// demoLogger logs only warnings unless the operator chose a level, so that the banner stays visible.
func (e *env) demoLogger(c config.Config) *slog.Logger {
	if !isSet(c, "logLevel") {
		c.LogLevel = "warn"
	}
	return e.logger(c)
}

// isSet reports whether the operator chose a setting, by the environment or the file.
func isSet(c config.Config, name string) bool {
	return slices.ContainsFunc(c.Effective(), func(s config.Setting) bool { return s.Name == name && s.Source != config.FromDefault })
}

// States of the review of the second sample repository.
const (
	heldWaits   = "its review waits for approval"
	heldDecided = "a person has decided on its review"
)

func banner(d *demo.Demo, link, heldState string) string {
	var b strings.Builder
	noun, held := d.Words().Noun, d.Held()
	fmt.Fprintf(&b, "\nassay %s, demo. %s\n\n  Open this link to sign in (once):\n    %s\n\n  %ss on the simulated %s; their "+
		"reviews appear in a moment:\n",
		version, demoNote(d.Host), link, strings.ToUpper(noun[:1])+noun[1:], d.Host)
	for _, p := range d.Pulls() {
		fmt.Fprintf(&b, "    %s  %s\n", p.URL, p.Title)
	}
	ticket := d.Ticket()
	fmt.Fprintf(&b, "\n  The ticket of %s%d; the review says which of its acceptance criteria is missing:\n    %s  %s\n",
		d.Words().Sign, ticket.Pull, ticket.URL, ticket.Title)
	fmt.Fprintf(&b, "\n  One %s needs an approval, and its review calls the tool server (%s):\n    %s  %s\n", noun, heldState,
		held.URL, held.Title)
	b.WriteString("\n  On these pages you can comment, push the prepared fix, apply a suggestion and merge. \"Tour\" in the console " +
		"leads through them.\n")
	b.WriteString("\n  Ctrl-C stops it.\n\n")
	return b.String()
}

func inline(n int) string {
	switch n {
	case 0:
		return "no inline comment"
	case 1:
		return "1 inline comment"
	}
	return fmt.Sprintf("%d inline comments", n)
}

// outcome describes what followed a review.
func outcome(d *demo.Demo, o demo.Outcome) string {
	say := "fix: the checks refused it"
	switch {
	case o.Job != "" && o.Passed:
		say = "job explained: " + o.Job + ", flaky"
	case o.Job != "":
		say = "job explained: " + o.Job
	case o.Passed:
		say = "fix: it passed the checks"
	}
	return fmt.Sprintf("  %s%d %s; %s%s\n", d.Words().Sign, o.Pull, say, d.Config.BaseURL(), o.Path)
}

// closing runs a close function at the end of another and keeps the first error.
func closing(f func() error, err *error) {
	if cerr := f(); *err == nil {
		*err = cerr
	}
}

// signInLink makes a one-time link for n and returns it. The database holds only its hash.
func signInLink(ctx context.Context, s *store.Store, base string, n store.NewSignInLink) (string, error) {
	token := secret.NewToken(secret.Link)
	n.TokenHash = secret.Hash(token.Reveal())
	if err := s.CreateSignInLink(ctx, n); err != nil {
		return "", err
	}
	return instance.SignInURL(base, token), nil
}

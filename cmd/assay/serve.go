package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/instance"
)

type serveCmd struct {
	Demo bool   `help:"Show everything with a simulated code host, three sample pull requests and a scripted model. Needs no account and no key; keeps its data apart."`
	Host string `enum:"github,gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" default:"github" help:"Code host of --demo: ${enum}."`
	Keep bool   `help:"With --demo: go on with the data of the last demo of that host."`
}

// Help implements kong.HelpProvider.
func (serveCmd) Help() string {
	return `With no setting at all it listens on 127.0.0.1:8080 and keeps its data in ./assay-data. The first SIGTERM or
Ctrl-C lets running work finish, the second stops at once.

Examples:

    assay serve --demo
    assay serve --demo --host gitlab
    assay serve
    assay serve --config /etc/assay/assay.yaml
    ASSAY_LISTEN=:8080 ASSAY_PUBLIC_BASE_URL=https://assay.example.com assay serve`
}

// Run implements the command.
func (s *serveCmd) Run(e *env) error {
	if s.Keep && !s.Demo {
		return usageError("--keep goes with --demo")
	}
	if domain.ConnectionKind(s.Host) != codehost.GitHub && !s.Demo {
		return usageError("--host goes with --demo")
	}
	c, err := e.config()
	if err != nil {
		return err
	}
	if s.Demo {
		return e.demo(c, domain.ConnectionKind(s.Host), s.Keep)
	}
	return e.service(c, app.Roles{API: true, Lanes: app.AllLanes(c)}, true)
}

// service runs roles until a signal.
func (e *env) service(c config.Config, roles app.Roles, migrate bool) (err error) {
	log := e.logger(c)
	slog.SetDefault(log) // for libraries that take no logger
	warnUnknown(c, log)
	ctx, hard, stop := e.signals()
	defer stop()
	a, err := app.Open(ctx, app.Options{Config: c, Children: e.children, Version: version, Commit: commit(), Logger: log}, migrate)
	if err != nil {
		return err
	}
	defer closing(a.Close, &err)
	return a.Run(ctx, hard, roles, nil, func(r app.Running) {
		e.say("%s", listening(c, roles, r))
		if roles.API {
			if c.UnnamedProxy(a.Feature.Instance.BaseURL(ctx)) {
				log.Warn("a reverse proxy probably stands in front, and none is named: all clients share its address, and its rate limits. " +
					config.NameProxies)
			}
			e.nextSteps(ctx, a, r)
		}
	})
}

// listening returns the line about roles and addresses that is printed at the start.
func listening(c config.Config, roles app.Roles, r app.Running) string {
	var b strings.Builder
	fmt.Fprintf(&b, "assay %s", version)
	if r.API != nil {
		at := c.BaseURL()
		if c.PublicBaseURL == "" {
			at = "http://" + browsable(r.API)
		}
		fmt.Fprintf(&b, " listens on %s", at)
		if c.PublicBaseURL != "" {
			fmt.Fprintf(&b, " (%s)", r.API)
		}
	}
	if len(roles.Lanes) > 0 {
		fmt.Fprintf(&b, ", works on %s", lanesText(roles.Lanes))
	}
	if r.Metrics != nil {
		fmt.Fprintf(&b, ", metrics on http://%s/metrics", browsable(r.Metrics))
	}
	db, _ := c.Database()
	kv, _ := c.KV()
	storage, queue := db.Path, "queue in this process"
	if storage == "" {
		storage = "the configured database server"
	}
	if kv.Mode != config.KVNone {
		queue = "queue in the key-value store"
	}
	fmt.Fprintf(&b, ", data in %s, %s", storage, queue)
	return b.String()
}

// browsable returns an address that a browser can open.
func browsable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// nextSteps tells a new operator the missing steps. It offers a setup token if the instance has no admin;
// bootstrap configuration has made one by now.
func (e *env) nextSteps(ctx context.Context, a *app.App, r app.Running) {
	offer := a.Feature.Instance.OfferToken
	if db, _ := a.Config.Database(); db.Path != "" { // no other process uses a file: this is a restart, which renews the token
		offer = a.Feature.Instance.NewToken
	}
	token, ok, err := offer(audit.As(ctx, app.Operator()))
	if err != nil {
		a.Logger.Error("the setup token could not be made; `assay setup-token` makes one", "error", err)
		return
	}
	if ok && !token.IsSet() {
		e.say("This instance has no manager yet. Another process has printed the link to its setup page less than %d minutes ago, and "+
			"that link works; `assay setup-token` makes a new one.", int(instance.StartTogether.Minutes()))
		return
	}
	if ok {
		base := a.Feature.Instance.BaseURL(ctx)
		if a.Config.PublicBaseURL == "" && base == a.Config.BaseURL() { // not set: use the real listener
			base = "http://" + browsable(r.API)
		}
		e.say("This instance has no manager yet. Open this page to set it up; the link works once, for %d minutes, and `assay "+
			"setup-token` makes a new one:", int(instance.TokenLife.Minutes()))
		e.say("%s", instance.TokenURL(base, token))
		e.say("`assay doctor` checks the installation; `assay serve --demo` shows a review without any account.")
		return
	}
	facts, err := a.Store.SetupFacts(ctx)
	if err != nil || facts.Apps+facts.Connections > 0 {
		return
	}
	e.say("No code host is connected yet: an instance admin enters a GitHub App (docs/github-app.md), an admin of a tenant connects " +
		"another host (docs/connections.md), or the configuration names one (ASSAY_BOOTSTRAP_…, see docs/configuration/bootstrap.md).")
	e.say("`assay doctor` checks the installation; `assay serve --demo` shows a review without any account.")
}

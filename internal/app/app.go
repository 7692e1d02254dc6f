// Package app wires the service: it opens every part in order, runs the roles of a process, and stops them
// in the reverse order. Only this package imports all others, and it contains no product logic.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/bootstrap"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/calibrate"
	"github.com/assay-dev/assay/internal/cilog"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/ci"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/review/triage"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/internal/upload"
)

// Options are the inputs of a process.
type Options struct {
	Config  config.Config
	Version string
	Commit  string
	Logger  *slog.Logger
	// Children starts the child processes that parse untrusted bytes. If it is nil, this process parses
	// them itself and git runs without limits (tests).
	Children *sandbox.Launcher
	// LoopbackPorts are the ports of processes that this one started. They are the only loopback ports that
	// the outbound guard permits.
	LoopbackPorts []int
	// LocalLinks puts links to this instance into reviews although no public address is set, because every
	// reader is on this machine (the demo).
	LocalLinks bool
	// KVPrefix separates tests that share a key-value server. It is "" in production.
	KVPrefix string
}

// App is an opened instance. Create it with [Open] and end it with [App.Close].
type App struct {
	Options
	Store     *store.Store
	Keyring   *secret.Keyring
	Queue     queue.Queue
	Metrics   *telemetry.Metrics
	Hosts     *connect.Hosts
	Trackers  *connect.Trackers
	Runs      *run.Runs
	Intake    *intake.Service
	Review    *review.Service
	Approvals *approval.Service
	Suppress  *suppress.Service
	Calibrate *calibrate.Service
	Triage    *triage.Service
	CI        *ci.Service
	Fixes     *fixrun.Service
	Tickets   *tickets.Service
	Boot      bootstrap.Result
	Audit     *audit.Log
	Feature   httpapi.Features

	boot          *bootstrap.Bootstrap
	factory       *outbound.Factory
	models        *connect.Models
	snapshots     *connect.Snapshots
	programs      []analysers.Analyser
	runner        *analysers.Runner        // of the programs; nil if the process starts no child processes
	scan          func(text string) string // replaces secrets in outgoing text
	scanUpload    sarif.Scan
	authors       *policy.Authors
	cache         cache.Cache
	storedBaseURL string // the address that an administrator stored; "" if the configuration sets one
	kv            redis.UniversalClient
	closers       []func() error
}

// Open opens storage, runs migrations if migrate is true, and builds every part. On an error it closes
// everything that it opened.
func Open(ctx context.Context, o Options, migrate bool) (a *App, err error) {
	a = &App{Options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.Children != nil && o.Config.Sandbox == config.SandboxRequired {
		a.Children = a.Children.Require()
	}
	if err := o.Config.EnsureDataDir(); err != nil {
		return a, err
	}
	if a.Store, err = OpenStore(ctx, o.Config); err != nil {
		return a, err
	}
	a.closers = append(a.closers, a.Store.Close)
	if migrate {
		n, err := a.Store.Migrate(ctx)
		if err != nil {
			return a, err
		}
		if n > 0 {
			o.Logger.Info("the database was migrated", "steps", n)
		}
	}
	if err := a.Store.CheckVersion(ctx, o.Version); err != nil {
		return a, err
	}
	if err := a.openKeyring(ctx); err != nil {
		return a, err
	}
	if err := a.openQueue(); err != nil {
		return a, err
	}
	a.Metrics = telemetry.NewMetrics(telemetry.Build{Version: o.Version, Commit: o.Commit, Edition: o.Config.Edition})
	if err := a.openOutbound(); err != nil {
		return a, err
	}
	if err := a.adoptBaseURL(ctx); err != nil {
		return a, err
	}
	return a, a.build(ctx)
}

func (a *App) openOutbound() (err error) {
	if a.factory, err = outboundFactory(a.Options); err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { a.factory.Close(); return nil })
	return nil
}

// outboundFactory returns a factory of HTTP clients that obey the outbound policy of the configuration.
func outboundFactory(a Options) (*outbound.Factory, error) {
	o := a.Config.Outbound
	roots, err := o.RootCAs()
	if err != nil {
		return nil, err
	}
	return outbound.New(outbound.Policy{AllowHTTP: o.AirGap.AllowHTTP, AllowedHosts: o.AirGap.AllowedHosts, AllowedCIDRs: o.AirGap.Prefixes(),
		NAT64: o.NAT64Prefixes(), ProxyURL: o.ProxyURL, RootCAs: roots, UserAgent: "assay/" + a.Version,
		OwnPorts: ports(a.Config.Listen, a.Config.MetricsListen), LoopbackPorts: a.LoopbackPorts}), nil
}

func ports(addresses ...string) (out []int) {
	for _, addr := range addresses {
		if _, p, err := net.SplitHostPort(addr); err == nil {
			if n, err := strconv.Atoi(p); err == nil && n > 0 {
				out = append(out, n)
			}
		}
	}
	return out
}

// build constructs the features.
func (a *App) build(ctx context.Context) error {
	c := a.Config
	a.Audit = audit.New(a.Store, a.Keyring, a.Logger)
	if _, err := a.Audit.Key(ctx); err != nil {
		return err
	}
	boot := &bootstrap.Bootstrap{Store: a.Store, Keyring: a.Keyring, Config: c.Bootstrap, Audit: a.Audit, Logger: a.Logger}
	var err error
	if a.Boot, err = boot.Apply(ctx); err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	obs := observer{a.Metrics}
	slots := gate.New(gate.Config{Store: a.Store, Owner: domain.NewID("gat"), Limits: limitsOf(c.Gate, codehost.GitHub),
		ReadSlots: c.Gate.ReadSlots, Observer: obs})
	gates := map[domain.ConnectionKind]codehost.Gate{}
	for _, kind := range []domain.ConnectionKind{domain.GitLab, domain.BitbucketCloud, domain.BitbucketDataCenter, domain.Gitea,
		domain.Forgejo, domain.AzureDevOps} {
		gates[kind] = slots.With(limitsOf(c.Gate, kind))
	}
	a.Hosts = &connect.Hosts{Store: a.Store, Keyring: a.Keyring, Factory: a.factory, Logger: a.Logger, WriteTime: c.HTTP.WriteTimeout,
		Gate: slots, Observer: obs, Gates: gates}
	a.Trackers = &connect.Trackers{Store: a.Store, Keyring: a.Keyring, Factory: a.factory, Adapters: trackerAdapters(),
		Consents: trackerConsents(), Logger: a.Logger}
	boot.Account, a.boot = a.Hosts.AccountID, boot
	mark, err := marker.New(a.Keyring.MACs("marker")...)
	if err != nil {
		return err
	}
	checker, err := check.New()
	if err != nil {
		return err
	}
	a.scan = newRedactor(checker.Scanner)
	a.scanUpload = sarif.Scan{MayHold: checker.Scanner.MayHold, Clean: newBoundedRedactor(checker.Scanner)}
	var checks engine.Checks = checker
	if a.Children != nil {
		checks = &check.Confined{Launcher: a.Children, Logger: a.Logger}
	}
	if a.programs, err = analysers.Configure(analyserSettings(c)); err != nil {
		return err
	}
	if a.Children != nil {
		a.runner = &analysers.Runner{Launcher: a.Children, Analysers: a.programs, Logger: a.Logger}
	}
	checkouts := c.Git.CacheDir
	if checkouts == "" {
		checkouts = filepath.Join(c.DataDir, "git")
	}
	if checkouts, err = filepath.Abs(checkouts); err != nil { // git runs in another folder
		return err
	}
	a.models = &connect.Models{Store: a.Store, Keyring: a.Keyring, Factory: a.factory, Enterprise: c.Edition == config.Enterprise,
		Attempt: c.Model.AttemptTimeout,
		Idle:    c.Model.IdleTimeout, MaxResponse: int64(c.Model.MaxResponse), Concurrency: c.Model.Concurrency, Logger: a.Logger, Observer: obs}
	a.Runs = &run.Runs{Store: a.Store, Observer: obs}
	a.authors = &policy.Authors{Cache: a.cache}
	a.Intake = intake.New(intake.Config{Store: a.Store, Runs: a.Runs, Hosts: a.Hosts, Authors: a.authors, Place: a.assignTenant(boot),
		Marker: mark, Logger: a.Logger, Observer: obs,
		Parse: parsers(), ParseIssue: trackerParsers(),
	})
	a.Suppress = suppress.New(suppress.Config{Store: a.Store, Audit: a.Audit, Scan: a.scan})
	a.Calibrate = calibrate.New(calibrate.Config{Store: a.Store, Audit: a.Audit, Proposals: a.Suppress})
	a.Approvals = approval.New(approval.Config{Store: a.Store, Runs: a.Runs, Audit: a.Audit, Scan: a.scan, Proposals: a.Suppress,
		Render: func(kept string, c domain.ApprovalChanges) (domain.Rendered, error) {
			return a.Review.Rerender(kept, c)
		}})
	a.Tickets = tickets.New(tickets.Config{Store: a.Store, Trackers: a.Trackers, Hosts: a.Hosts, Authors: a.authors, Cache: a.cache,
		Audit: a.Audit, Scan: a.scan, Logger: a.Logger, RecheckAfter: c.Jobs.RecheckAfter})
	a.Intake.Approvals, a.Intake.Issues = a.Approvals, a.Tickets
	a.snapshots = &connect.Snapshots{Factory: a.factory, Gate: slots, CAFile: c.Outbound.CAFile, Logger: a.Logger,
		Cache: &snapshot.Cache{Dir: checkouts, GitPath: c.Git.Path, MaxBytes: int64(c.Git.MaxCache), MaxRepoBytes: int64(c.Git.MaxRepo),
			FetchTimeout: c.Git.Timeout, Launcher: a.Children}}
	a.Hosts.Git = a.snapshots
	a.Review = review.New(review.Config{
		Tickets: a.Tickets,
		Store:   a.Store, Runs: a.Runs, Hosts: a.Hosts, Marker: mark, Window: c.Model.Window, Attempts: c.Jobs.MaxAttempts,
		CallTime: endpoint.MostPatience*c.Model.AttemptTimeout + time.Minute, Base: a.linkBase(), Logger: a.Logger, Observer: obs,
		Scan:   a.scan,
		Models: a.models, Authors: a.authors, Decisions: a.Approvals,
		Snapshots: a.snapshots, DigestKeys: a.digestKeys, CodeIndex: a.indexForReviews,
		Documents: sastdocs.Documents{Store: a.Store, Keyring: a.Keyring},
		Engine: func(d engine.Deps) *engine.Engine {
			d.Checks, d.Analysers, d.Logger = checks, a.runner, a.Logger
			return engine.New(d)
		},
		Publisher: &publish.Publisher{Store: a.Store, Runs: a.Runs, Fit: a.Tickets.Fit, Marker: mark, Logger: a.Logger, Observer: obs,
			WriteTime: c.HTTP.WriteTimeout, Margin: c.Jobs.Lease / 6},
	})
	a.Triage = triage.New(triage.Config{Store: a.Store, Hosts: a.Hosts, Change: connect.Change, Models: a.models.OpenFor,
		Engine: a.Review.Engine, Scan: a.scan, CallTime: a.Review.CallTime, Logger: a.Logger})
	a.CI = ci.New(ci.Config{Store: a.Store, Hosts: a.Hosts, Change: connect.Change, Models: a.models.OpenFor, Engine: a.Review.Engine,
		Redactor: func() cilog.Redactor { return check.NewRedactor(checker.Scanner) }, Scan: a.scan, Marker: mark, Base: a.linkBase(),
		CallTime: a.Review.CallTime, Logger: a.Logger})
	fixer := fix.New(fix.Deps{Checks: checks, Logger: a.Logger})
	a.Fixes = fixrun.New(fixrun.Config{Store: a.Store, Audit: a.Audit, Hosts: a.Hosts, Models: a.models, Snapshots: a.snapshots,
		DigestKeys: a.digestKeys, CodeIndex: a.indexForReviews, Marker: mark, Scan: a.scan, Base: a.Review.RunPage,
		Window: a.Review.Window, CallTime: a.Review.CallTime, Logger: a.Logger,
		Fixer: func(r ask.Recorder, s ask.StageStore, progress func(ask.Progress)) fixrun.Fixer {
			return fixrun.Core{Fixer: fixer.With(r, s, progress)}
		}})
	a.Intake.Fixes = a.Fixes
	a.features()
	boot.Connections = a.Feature.Tracking
	if err := boot.Connect(ctx, a.Boot); err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	return nil
}

// analyserNames returns the names of the configured analysers; it is never nil.
func (a *App) analyserNames() []string {
	out := make([]string, len(a.programs))
	for i, p := range a.programs {
		out[i] = p.Name
	}
	return out
}

// configuredAnalysers describes the analysers for people, without folders of the server.
func (a *App) configuredAnalysers() (out []httpapi.ConfiguredAnalyser) {
	for _, p := range a.programs {
		out = append(out, httpapi.ConfiguredAnalyser{Name: p.Name, Program: filepath.Base(p.Path), Version: p.Version,
			Languages: append([]string{}, p.Languages...), Paths: append([]string{}, p.Paths...)})
	}
	return out
}

// analyserSettings returns the settings of the analysers that run as programs.
func analyserSettings(c config.Config) analysers.Settings {
	return analysers.Settings{Programs: c.Analysers.Programs, File: c.Analysers.Definitions, DataDir: c.DataDir}
}

// features constructs the features that the API routes call.
func (a *App) features() {
	st, keys := a.Store, a.Keyring
	first := instance.New(instance.Config{Store: st, Keyring: keys, Audit: a.Audit, Version: a.Version, Hosts: a.Hosts,
		URL: a.factory.CheckForm, Process: Process(a.Config),
		Reach: func(ctx context.Context, url string) error { return reach(ctx, a.factory, url) }})
	base := func() string { return first.BaseURL(context.Background()) }
	people := auth.New(auth.Config{Store: st, Keyring: keys, Audit: a.Audit, Outbound: a.factory, Hosts: a.Hosts, BaseURL: a.baseURL(),
		Base: base, Logger: a.Logger,
		Idle: func(ctx context.Context) time.Duration { idle, _ := first.SessionLife(ctx); return idle }})
	a.Feature = httpapi.Features{
		Instance: first,
		Audit:    a.Audit,
		Auth:     people,
		Tenant: tenant.New(tenant.Config{Store: st, Keyring: keys, Audit: a.Audit, Outbound: a.factory,
			Enterprise: a.Config.Edition == config.Enterprise, Opener: a.models, Cache: a.cache, Scan: a.scan,
			Tools: mcpserver.ToolScopes(), CodePatterns: a.runner, Analysers: a.analyserNames()}),
		Notify: notify.New(a.notifications(first, people)),
		Tracking: tracking.New(tracking.Config{Store: st, Keyring: keys, Audit: a.Audit, Outbound: a.factory, Hosts: a.Hosts,
			Issues: a.Trackers, Links: a.Tickets, People: people, Runs: a.Runs, Logger: a.Logger, BaseURL: a.baseURL(), Base: base,
			SecretDelay: codehost.SecretReadInterval}),
		Assign:    assign.New(assign.Config{Store: st, Keyring: keys, Audit: a.Audit, SignOff: signOff(first)}),
		Analytics: analytics.New(analytics.Config{Store: st, Keyring: keys, Audit: a.Audit}),
		Approvals: a.Approvals,
		Suppress:  a.Suppress,
		Tickets:   a.Tickets,
		Upload: upload.New(upload.Config{Store: st, Documents: sastdocs.Documents{Store: st, Keyring: keys}, Audit: a.Audit,
			Scan: a.scanUpload}),
		OnDemand: ondemand.New(ondemand.Config{Store: st, Audit: a.Audit, Runs: a.Runs, Hosts: a.Hosts, Cache: a.cache}),
	}
	a.Feature.DryRun = dryrun.New(dryrun.Config{Store: st, Audit: a.Audit, Tenant: a.Feature.Tenant, Hosts: a.Hosts, Models: a.models,
		Authors: a.authors, Snapshots: a.Review.Snapshots, DigestKeys: a.digestKeys, CodeIndex: a.indexForReviews,
		Engine: a.Review.Engine, Patterns: a.runner, Scan: a.scan, Window: a.Review.Window, CallTime: a.Review.CallTime, Logger: a.Logger})
	a.Feature.Fixes = a.Fixes
	a.Feature.Onboarding = onboarding.New(onboarding.Config{Store: st, Audit: a.Audit, Tenant: a.Feature.Tenant, Dry: a.Feature.DryRun,
		Hosts: a.Hosts, Logger: a.Logger})
	code := &connect.Code{Hosts: a.Hosts, Snapshots: a.snapshots}
	a.Feature.CodeIndex = codeindex.New(codeindex.Config{Store: st, Audit: a.Audit, Code: code, Scan: a.scan, Logger: a.Logger})
	a.Feature.MCP = mcpserver.New(mcpserver.Config{Store: st, Audit: a.Audit, Auth: people, Tenant: a.Feature.Tenant,
		DryRun: a.Feature.DryRun, Fixes: a.Fixes, Approvals: a.Approvals, Suppress: a.Suppress, Rerun: a.Runs, Scan: a.scan, Base: base,
		Version: a.Version, Logger: a.Logger,
		Code: code, Index: a.Feature.CodeIndex, Observer: observer{a.Metrics}})
	a.closers = append(a.closers, a.Feature.Auth.Close)
}

// linkBase returns the address that reviews link to. It returns "" without a public address, because a link
// to the listen address would lead readers to their own machine.
func (a *App) linkBase() string {
	if a.Config.PublicBaseURL == "" && a.storedBaseURL == "" && !a.LocalLinks {
		return ""
	}
	return a.baseURL()
}

// Close closes everything that [Open] opened, in the reverse order.
func (a *App) Close() error {
	var err error
	for i := len(a.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, a.closers[i]())
	}
	a.closers = nil
	return err
}

// Package featuretest wires the features of an instance over a test database, as package app does in a
// process, and gives tests a world to act in.
//
// It is for tests only. It contains no requests, answers or assertions of a single feature.
package featuretest

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/calibrate"
	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/internal/upload"
)

// Options are the differences between the instances of tests. The zero value is a self-hosted instance at
// https://assay.example.com that can reach only public https addresses and has no code host.
type Options struct {
	BaseURL    string                 // public origin; defaults to the one above
	Keyring    *secret.Keyring        // nil: the keyring of Hosts, or a new one over the database
	Outbound   *outbound.Factory      // nil: the factory of Hosts, or one with the policy above
	Hosts      *connect.Hosts         // nil: no code host
	Readers    ondemand.Hosts         // read pull requests that people ask to review; nil: no reader
	Code       *Connections           // fake hosts of provider connections; nil: hosts that always succeed
	Trackers   tracking.Trackers      // for tracker connections; nil: no kind is implemented
	Links      tracking.Linker        // finds issues of pull requests; nil: no backfills
	Enterprise bool                   // edition that permits only public https model endpoints
	Instance   func(*instance.Config) // changes the wiring of the instance's settings; may be nil
	Auth       func(*auth.Config)     // changes the wiring of sign-in; may be nil

	Models   *outbound.Factory        // for model calls; nil: Outbound
	Endpoint func(catalog.Key) string // the endpoint of a model key; nil: the key's own
}

// Features are the services of one instance.
type Features struct {
	Keyring    *secret.Keyring
	Audit      *audit.Log
	Auth       *auth.Service
	Instance   *instance.Service
	Tenant     *tenant.Service
	Notify     *notify.Service
	Tracking   *tracking.Service
	Assign     *assign.Service
	Analytics  *analytics.Service
	DryRun     *dryrun.Service     // without the workers' part
	Fixes      *fixrun.Service     // without the workers' part
	Onboarding *onboarding.Service // without the workers' part
	Approvals  *approval.Service
	Suppress   *suppress.Service
	Calibrate  *calibrate.Service
	OnDemand   *ondemand.Service
	Upload     *upload.Service
	MCP        *mcpserver.Service
	Tickets    *tickets.Service   // without real trackers
	CodeIndex  *codeindex.Service // without code to read
	Models     *connect.Models    // opens models for reviews, and for the tenant's lists and tests of models
}

// New wires the services and closes them when the test ends.
func New(t testing.TB, s *store.Store, change ...func(*Options)) Features {
	t.Helper()
	o := Options{BaseURL: "https://assay.example.com"}
	for _, f := range change {
		f(&o)
	}
	if o.Keyring == nil && o.Hosts != nil {
		o.Keyring = o.Hosts.Keyring
	}
	if o.Keyring == nil {
		o.Keyring = storetest.Keyring(t, s)
	}
	if o.Outbound == nil && o.Hosts != nil {
		o.Outbound = o.Hosts.Factory
	}
	if o.Outbound == nil {
		o.Outbound = outbound.New(outbound.Policy{})
		t.Cleanup(o.Outbound.Close)
	}
	if o.Models == nil {
		o.Models = o.Outbound
	}
	if o.Code == nil {
		o.Code = &Connections{}
	}
	log := audit.New(s, o.Keyring, telemetry.Discard())
	kept, err := memcache.New(memcache.Options{})
	testkit.OK(t, err)
	models := &connect.Models{Store: s, Keyring: o.Keyring, Factory: o.Models, Enterprise: o.Enterprise, Attempt: time.Minute,
		MaxResponse: 1 << 20, Concurrency: 1,
		Logger: telemetry.Discard(), Endpoint: o.Endpoint}
	service := o.wireInstance(s, log)
	people := o.auth(t, s, log)
	settings := tenant.New(tenant.Config{Store: s, Keyring: o.Keyring, Audit: log, Outbound: o.Outbound, Enterprise: o.Enterprise,
		Cache: kept, Opener: models, Tools: mcpserver.ToolScopes()})
	dry := dryrun.New(dryrun.Config{Store: s, Audit: log, Tenant: settings, Scan: func(s string) string { return s },
		Logger: telemetry.Discard()})
	proposals := suppress.New(suppress.Config{Store: s, Audit: log})
	approvals := approval.New(approval.Config{Store: s, Runs: &run.Runs{Store: s}, Audit: log, Proposals: proposals,
		Render: review.New(review.Config{Store: s, Scan: func(text string) string { return text }}).Rerender})
	index := codeindex.New(codeindex.Config{Store: s, Audit: log, Scan: func(text string) string { return text }, Logger: telemetry.Discard()})
	fixes := fixrun.New(fixrun.Config{Store: s, Audit: log, Scan: func(s string) string { return s }, Logger: telemetry.Discard()})
	return Features{
		Keyring:    o.Keyring,
		Audit:      log,
		Auth:       people,
		Instance:   service,
		Tenant:     settings,
		DryRun:     dry,
		Fixes:      fixes,
		Onboarding: onboarding.New(onboarding.Config{Store: s, Audit: log, Tenant: settings, Dry: dry, Logger: telemetry.Discard()}),
		Notify: notify.New(notify.Config{Store: s, Keyring: o.Keyring, Audit: log, Outbound: o.Outbound,
			MorePushHosts: func(ctx context.Context) ([]string, error) {
				v, err := service.Settings(ctx)
				return v.PushServiceHosts, err
			}}),
		Tracking: tracking.New(tracking.Config{Store: s, Keyring: o.Keyring, Audit: log, Outbound: o.Outbound, Hosts: o.Code,
			Issues: o.Trackers, Links: o.Links, People: people, Runs: &run.Runs{Store: s}, Logger: telemetry.Discard(), BaseURL: o.BaseURL}),
		Assign: assign.New(assign.Config{Store: s, Keyring: o.Keyring, Audit: log, SignOff: func(ctx context.Context) (assign.SignOff, error) {
			v, err := service.LegalSignOff(ctx)
			return assign.SignOff{SignedOff: v.SignedOff, DataUses: v.DataUses}, err
		}}),
		Analytics: analytics.New(analytics.Config{Store: s, Keyring: o.Keyring, Audit: log}),
		Approvals: approvals,
		Suppress:  proposals,
		Calibrate: calibrate.New(calibrate.Config{Store: s, Audit: log, Proposals: proposals}),
		Tickets: tickets.New(tickets.Config{Store: s, Trackers: noTrackers{}, Cache: kept, Audit: log,
			Scan: func(text string) string { return text }, Logger: telemetry.Discard()}),
		Upload: upload.New(upload.Config{Store: s, Documents: sastdocs.Documents{Store: s, Keyring: o.Keyring}, Audit: log,
			Scan: UploadScan()}),
		OnDemand:  ondemand.New(ondemand.Config{Store: s, Audit: log, Runs: &run.Runs{Store: s}, Hosts: o.Readers, Cache: kept}),
		Models:    models,
		CodeIndex: index,
		MCP: mcpserver.New(mcpserver.Config{Store: s, Audit: log, Auth: people, Tenant: settings, DryRun: dry, Approvals: approvals, Suppress: proposals, Fixes: fixes,
			Index: index, Logger: telemetry.Discard(), Version: "1.2.3", Base: func() string { return o.BaseURL }}),
	}
}

func (o Options) wireInstance(s *store.Store, log *audit.Log) *instance.Service {
	c := instance.Config{Store: s, Keyring: o.Keyring, Audit: log, URL: o.Outbound.CheckForm,
		Process: instance.Process{BaseURL: o.BaseURL, Edition: "self-hosted"}}
	if o.Hosts != nil {
		c.Hosts = o.Hosts
	}
	if o.Instance != nil {
		o.Instance(&c)
	}
	return instance.New(c)
}

func (o Options) auth(t testing.TB, s *store.Store, log *audit.Log) *auth.Service {
	c := auth.Config{Store: s, Keyring: o.Keyring, Audit: log, Outbound: o.Outbound, BaseURL: o.BaseURL}
	if o.Hosts != nil {
		c.Hosts = o.Hosts
	}
	if o.Auth != nil {
		o.Auth(&c)
	}
	people := auth.New(c)
	t.Cleanup(func() { testkit.OK(t, people.Close()) })
	return people
}

// noTrackers are issue trackers that never answer.
type noTrackers struct{}

func (noTrackers) Open(context.Context, domain.Tenant, store.TrackerConnection) (tracker.Tracker, error) {
	return nil, &tracker.Error{Class: tracker.ClassUnavailable, Op: "open connection"}
}

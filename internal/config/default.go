package config

import "time"

// Editions.
const (
	SelfHosted = "self-hosted"
	Hosted     = "hosted"
	Enterprise = "enterprise"
)

// Values of the setting for the sandbox of child processes.
const (
	SandboxPreferred = "preferred"
	SandboxRequired  = "required"
)

// Default returns the default configuration: everything in one process, embedded storage, on loopback only.
func Default() Config {
	return Config{
		DataDir:       "./assay-data",
		Listen:        "127.0.0.1:8080",
		MetricsListen: "127.0.0.1:9090",
		Edition:       SelfHosted,
		Sandbox:       SandboxPreferred,
		LogLevel:      "info",
		DrainTimeout:  25 * time.Second, // below the 30 s that container platforms wait after SIGTERM
		Jobs: Jobs{
			// Together they let another worker claim a dead worker's job within 45 s.
			Lease: 30 * time.Second, Heartbeat: 10 * time.Second, Sweep: 5 * time.Second, Relay: 250 * time.Millisecond,
			MaxAttempts: 8, CrashLimit: 3, BackoffFirst: 15 * time.Second, BackoffMax: time.Hour, RecheckAfter: 30 * time.Second,
		},
		Lanes: Lanes{Delivery: 8, Review: 2, Publish: 4, Background: 4, DryRun: 1, Sweep: 4},
		Ingest: Ingest{MaxBody: 25 << 20, InFlight: 128 << 20, Budget: 800 * time.Millisecond, GroupBatch: 64,
			GroupWindow: 2 * time.Millisecond},
		HTTP:    HTTP{Connections: 4096, PerAddress: 256, Timeout: 30 * time.Second, MaxBody: 1 << 20, WriteTimeout: 20 * time.Second},
		Gate:    Gate{CapMinute: 60, CapHour: 400, GitLabCapMinute: 240, GiteaCapMinute: 300, Lease: 30 * time.Second, Quarantine: time.Minute},
		Model:   Model{Window: 10 * time.Minute, AttemptTimeout: 3 * time.Minute, IdleTimeout: time.Minute, MaxResponse: 8 << 20, Concurrency: 4},
		Git:     Git{Path: "git", MaxCache: 10 << 30, MaxRepo: 2 << 30, Timeout: 5 * time.Minute},
		Session: Session{Idle: 12 * time.Hour, Absolute: 7 * 24 * time.Hour},
		Retention: Retention{
			DeliveryBodiesDays: 30, RunsDays: 0, AuditBodiesDays: 0,
		},
		SMTP: SMTP{Port: 587, TLS: "starttls"}, // RFC 6409, section 3.1; RFC 8314, section 3
		Bootstrap: Bootstrap{TenantName: "", Admin: "Admin", GitHub: BootstrapGitHub{BaseURL: "https://github.com"},
			Connection: BootstrapConnection{Repositories: []string{EveryRepository}, RegisterWebhooks: true}},
	}
}

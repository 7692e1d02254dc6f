package codehost

import (
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// WriteLimits bounds the write requests that assay sends to a host by one account.
type WriteLimits struct {
	PerMinute  int
	PerHour    int           // 0: the host has no hourly bound
	Space      time.Duration // between two writes
	Quarantine time.Duration // wait after a process died during a request, because it may have seen a limit; 0: the operator's setting
	Source     string        // the host's own limits

	// Sweeps bounds all requests of periodic sweeps, including reads, by one budget key.
	Sweeps SweepLimits
}

// SweepLimits is the share of requests for periodic sweeps.
type SweepLimits struct {
	PerMinute int
	PerHour   int // 0: sixty times PerMinute
}

// writeLimits has a line for each kind of host with an adapter.
var writeLimits = map[domain.ConnectionKind]WriteLimits{
	GitHub: {
		PerMinute: 60, PerHour: 400, Space: time.Second,
		// A quarter of 5,000 an hour, an installation's least
		// (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
		Sweeps: SweepLimits{PerMinute: 60, PerHour: 1250},
		Source: "GitHub allows [about 80 a minute and 500 an " +
			"hour](https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api), shared with people who use its pages.",
	},
	domain.GitLab: {
		PerMinute: 240, Space: 200 * time.Millisecond,
		// A quarter of 2,000 a minute and user on gitlab.com (docs.gitlab.com/user/gitlab_com, "Rate limits").
		// Requests about people have as much.
		Sweeps: SweepLimits{PerMinute: 500},
		Source: "GitLab allows [300 notes a minute and user](https://docs.gitlab.com/administration/settings/rate_limit_on_notes_creation/) " +
			"and counts none by hour.",
	},
	domain.AzureDevOps: {
		PerMinute: 120, Space: 200 * time.Millisecond, Sweeps: SweepLimits{PerMinute: 200},
		Source: "Azure DevOps counts the [load of requests](https://learn.microsoft.com/azure/devops/integrate/concepts/rate-limits) in units " +
			"of its own, 200 in five minutes and account, and delays requests before it refuses them. The bound is ours.",
	},
	domain.BitbucketCloud: {
		PerMinute: 60, PerHour: 400, Space: 200 * time.Millisecond,
		// A quarter of 1,000 an hour, the least that the host allows an account
		// (support.atlassian.com/bitbucket-cloud/docs/api-request-limits).
		Sweeps: SweepLimits{PerMinute: 25, PerHour: 250},
		Source: "Bitbucket Cloud allows [1,000 requests an hour and " +
			"account](https://support.atlassian.com/bitbucket-cloud/docs/api-request-limits/), " +
			"reads included, and up to 10,000 with many paid users.",
	},
	domain.BitbucketDataCenter: {
		PerMinute: 300, Space: 50 * time.Millisecond,
		Sweeps: SweepLimits{PerMinute: 150},
		Source: "An administrator may switch on a [bucket of " +
			"requests](https://confluence.atlassian.com/bitbucketserver/improving-instance-stability-with-rate-limiting-976171954.html) for each " +
			"user. The bound is ours: five writes a second.",
	},
	domain.Gitea:   withoutHostLimit,
	domain.Forgejo: withoutHostLimit,
}

var withoutHostLimit = WriteLimits{
	PerMinute: 300, Space: 50 * time.Millisecond, Quarantine: 5 * time.Second,
	Sweeps: SweepLimits{PerMinute: 500}, // as on GitLab: eight a second keep a connection's one slot free most of the time
	Source: "No limit is documented, and none was met: Gitea 1.26.4 answered 300 requests within 0.13 seconds. The bound is ours " +
		"and spares small servers.",
}

// WriteLimitsOf returns the write bounds of a kind of host, or GitHub's, the strictest, for a kind without an
// adapter.
func WriteLimitsOf(kind domain.ConnectionKind) WriteLimits {
	if w, ok := writeLimits[kind]; ok {
		return w
	}
	return writeLimits[GitHub]
}

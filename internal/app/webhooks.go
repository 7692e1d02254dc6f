package app

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/azuredevops"
	"github.com/assay-dev/assay/internal/codehost/bitbucketcloud"
	"github.com/assay-dev/assay/internal/codehost/bitbucketserver"
	"github.com/assay-dev/assay/internal/codehost/gitea"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/codehost/gitlab"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/webhook"
)

// parsers returns the parsers of stored deliveries, by the kind of their access.
func parsers() map[string]func(d store.Delivery) (codehost.Event, error) {
	ofGitea := func(d store.Delivery) (codehost.Event, error) {
		return gitea.Parse(gitea.Header{Event: d.Event, Delivery: d.GUID}, d.Payload)
	}
	return map[string]func(d store.Delivery) (codehost.Event, error){
		store.KindGitHub: func(d store.Delivery) (codehost.Event, error) {
			return github.Parse(github.Header{Event: d.Event, Delivery: d.GUID}, d.Payload)
		},
		string(domain.GitLab): func(d store.Delivery) (codehost.Event, error) {
			return gitlab.Parse(gitlab.Header{Event: d.Event, Delivery: d.GUID}, d.Payload)
		},
		string(domain.AzureDevOps): func(d store.Delivery) (codehost.Event, error) {
			return azuredevops.Parse(d.Event, d.GUID, d.Payload)
		},
		string(domain.BitbucketCloud): func(d store.Delivery) (codehost.Event, error) {
			return bitbucketcloud.Parse(bitbucketcloud.Header{Event: d.Event, Delivery: d.GUID}, d.Payload)
		},
		string(domain.BitbucketDataCenter): func(d store.Delivery) (codehost.Event, error) {
			return bitbucketserver.Parse(bitbucketserver.Header{Event: d.Event, Delivery: d.GUID}, d.Payload)
		},
		string(domain.Gitea):   ofGitea,
		string(domain.Forgejo): ofGitea,
	}
}

// webhooks returns the handlers of deliveries: one for apps, and one per kind of connection, by its word in
// the path.
func (a *App) webhooks() (apps http.Handler, connections map[string]http.Handler) {
	c := a.Config.Ingest
	apps = webhook.NewGitHub(webhook.Config{Store: a.Store, Apps: webhook.NewApps(a.Store, a.Keyring), MaxBody: int64(c.MaxBody),
		InFlight: int64(c.InFlight), Budget: c.Budget,
		Ignore: func(w codehost.DeliveryWords) string { return intake.Ignored(github.KindOf(w)) },
		Logger: a.Logger, Observer: observer{a.Metrics}})
	connections = map[string]http.Handler{}
	finder := webhook.NewConnections(a.Store, a.Keyring)
	wires := map[domain.ConnectionKind]webhook.Wire{domain.GitLab: gitlabWire(), domain.BitbucketCloud: bitbucketWire(),
		domain.BitbucketDataCenter: dataCenterWire(), domain.Gitea: giteaWire(domain.Gitea), domain.Forgejo: giteaWire(domain.Forgejo),
		domain.AzureDevOps: azureWire()}
	for kind, k := range trackerKinds() {
		wires[kind] = trackerWire(k.hooks)
	}
	for kind, wire := range wires {
		connections[kind.PathWord()] = webhook.NewConnection(webhook.ConnectionConfig{Store: a.Store, Connections: finder, Kind: kind,
			Wire: wire, MaxBody: int64(c.MaxBody),
			InFlight: int64(c.InFlight), Budget: c.Budget, Logger: a.Logger, Observer: observer{a.Metrics}})
	}
	return apps, connections
}

func gitlabWire() webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := gitlab.ReadHeader(header)
			return webhook.Headers{Event: h.Event, Delivery: h.Delivery, Proof: h.Signed || h.Token}, err
		},
		Verify:     gitlab.Verify,
		Ignore:     func(w codehost.DeliveryWords) string { return intake.Ignored(gitlab.KindOf(w)) },
		Repository: gitlab.ProjectOf,
		Signed: func(header http.Header) bool {
			h, err := gitlab.ReadHeader(header)
			return err == nil && h.Signed
		},
	}
}

// azureWire reads deliveries of service hooks, which only a secret in their headers proves. A repeated delivery has the id of its event.
func azureWire() webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := azuredevops.ReadHeader(header)
			return webhook.Headers{Proof: h.Proof}, err
		},
		Verify: func(header http.Header, _ []byte, secrets []secret.Secret) error {
			return azure.Verify(header, secrets)
		},
		Event: func(header http.Header, body []byte) string {
			event, _ := azuredevops.Identify(header, body)
			return event
		},
		Delivery: func(body []byte) string {
			_, delivery := azuredevops.Identify(http.Header{}, body)
			return delivery
		},
		Ignore: func(w codehost.DeliveryWords) string { return intake.Ignored(azuredevops.KindOf(w)) },
	}
}

func bitbucketWire() webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := bitbucketcloud.ReadHeader(header)
			return webhook.Headers{Event: h.Event, Delivery: h.Delivery, Proof: len(h.Signature) == hex.EncodedLen(sha256.Size)}, err
		},
		Verify:     bitbucketcloud.Verify,
		Ignore:     func(w codehost.DeliveryWords) string { return intake.Ignored(bitbucketcloud.KindOf(w)) },
		Repository: bitbucketcloud.RepositoryOf,
	}
}

func dataCenterWire() webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := bitbucketserver.ReadHeader(header)
			return webhook.Headers{Event: h.Event, Delivery: h.Delivery, Proof: h.Signed}, err
		},
		Verify:     bitbucketserver.Verify,
		Ignore:     func(w codehost.DeliveryWords) string { return intake.Ignored(bitbucketserver.KindOf(w)) },
		Repository: bitbucketserver.RepositoryOf,
	}
}

func giteaWire(kind domain.ConnectionKind) webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := gitea.ReadHeader(kind, header)
			return webhook.Headers{Event: h.Event, Delivery: h.Delivery, Proof: len(h.Signature) == hex.EncodedLen(sha256.Size)}, err
		},
		Verify: func(header http.Header, body []byte, secrets []secret.Secret) error {
			return gitea.Verify(kind, header, body, secrets)
		},
		Ignore: func(w codehost.DeliveryWords) string { return intake.Ignored(gitea.KindOf(w)) },
	}
}

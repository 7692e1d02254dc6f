package codehost

import (
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// SecretReadInterval is the shortest interval at which the receiver of deliveries reads the stored webhook
// secrets again, after a delivery that no cached secret verifies (design choice). A host gets a new secret
// only after this interval, so that every receiver accepts the first delivery with it.
const SecretReadInterval = time.Second

// HookRepository is the parameter of a webhook's address that names the repository.
const HookRepository = "repository"

// RepositoryHook returns the address of one repository's webhook, below the connection's address.
func RepositoryHook(address string, repository domain.HostID) string {
	return address + "?" + url.Values{HookRepository: {string(repository)}}.Encode()
}

// ConnectionHook returns the address of the connection's webhook for a repository's address. Earlier
// versions made the webhooks of repositories at this address, and people still create them there.
func ConnectionHook(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// SameHook reports whether the address of a webhook equals address, or the address of its connection.
func SameHook(hook, address string) bool {
	hook = strings.TrimRight(hook, "/")
	return hook == strings.TrimRight(address, "/") || hook == strings.TrimRight(ConnectionHook(address), "/")
}

// HookSecret derives the webhook secret of one repository. It reveals nothing about the secrets of the
// connection and of other repositories, for example to an administrator of the repository.
func HookSecret(connection secret.Secret, repository domain.HostID) secret.Secret {
	return secret.Derive(secret.Webhook, connection, "webhook of repository "+string(repository))
}

package codehost

import (
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// HookRepository is the parameter of a webhook's address that names the repository.
const HookRepository = "repository"

// RepositoryHook is the address of the webhook of one repository, below that of the connection.
func RepositoryHook(address string, repository domain.HostID) string {
	return address + "?" + url.Values{HookRepository: {string(repository)}}.Encode()
}

// ConnectionHook is the address of a connection's webhook, of which that of a repository is made.
// Webhooks of a repository were made there before, and people make them there.
func ConnectionHook(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// SameHook reports whether a webhook with an address is meant by another one: by itself, or by that
// of a repository of its connection.
func SameHook(hook, address string) bool {
	hook = strings.TrimRight(hook, "/")
	return hook == strings.TrimRight(address, "/") || hook == strings.TrimRight(ConnectionHook(address), "/")
}

// HookSecret is the secret of the webhook of one repository. Who knows it, such as an administrator
// of the repository, learns nothing of the connection's and of those of other repositories.
func HookSecret(connection secret.Secret, repository domain.HostID) secret.Secret {
	return secret.Derive(secret.Webhook, connection, "webhook of repository "+string(repository))
}

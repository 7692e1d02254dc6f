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

// ConnectionHook returns the address of the connection's webhook, given that of a repository. Earlier versions
// made the webhooks of repositories at this address, and people still make them there.
func ConnectionHook(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// SameHook reports whether the address of a webhook equals another one, or equals that of the other one's
// connection.
func SameHook(hook, address string) bool {
	hook = strings.TrimRight(hook, "/")
	return hook == strings.TrimRight(address, "/") || hook == strings.TrimRight(ConnectionHook(address), "/")
}

// HookSecret is the secret of the webhook of one repository. Who knows it, such as an administrator
// of the repository, learns nothing of the connection's and of those of other repositories.
func HookSecret(connection secret.Secret, repository domain.HostID) secret.Secret {
	return secret.Derive(secret.Webhook, connection, "webhook of repository "+string(repository))
}

package app

import "github.com/assay-dev/assay/internal/domain"

// digestKeys derives the keys with which the values of a repository's secrets are told apart, one from each instance key, the
// newest first. Each repository has keys of its own, so that digests do not tell that two repositories have the same secret.
func (a *App) digestKeys(t domain.Tenant, repository string) (keys [][]byte) {
	for _, m := range a.Keyring.MACs("digests of secrets", []byte(t.ID), []byte(repository)) {
		keys = append(keys, m.Sum)
	}
	return keys
}

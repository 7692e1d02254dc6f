// Package realgitea runs assay beside a real Gitea that a team uses: an organisation with
// teams, people who watch and are mailed, an outsider with a fork, a branch with a required
// status. The tests are skipped without a Gitea; test/real-gitea builds one.
package realgitea

// Package demo is the sample that the simulated GitHub shows: the organisation acme with the repository acme/storefront
// (Go and TypeScript) and three open pull requests, two of them with planted faults that are described here so that a
// scripted model can find them, and one with a ticket of which a criterion was forgotten. Beside it is acme/payouts with one pull request, whose review is meant to wait for a
// person; only a demonstration opens it. It holds contents and their order of creation only; names, numbers, texts and commits are
// the same at every run.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Names of the sample.
const (
	Name       = "demo"
	Owner      = "acme"
	Repository = "acme/storefront"
	// Payouts is the repository whose reviews are meant to wait for a person.
	Payouts = "acme/payouts"
	// Admin is an admin of the organisation, Author a member who writes pull requests.
	Admin  = "grace"
	Author = "linus-b"
)

//go:embed *.txtar
var contents embed.FS

// Bug is a fault that was planted in a pull request.
type Bug struct {
	// Path is the file; LineText the exact line (without its line feed) that a comment should stand on, on the new side.
	Path, LineText string
	// StartLineText is the first line of the range when the comment spans several lines, else empty.
	StartLineText string
	// Line and StartLine are the 1-based numbers of those lines in the file after the change; StartLine is 0 for one line.
	Line, StartLine int
	// Severity is "critical", "high", "medium" or "low"; Category is "bug" or "security".
	Severity, Category string
	// Title is one line; Explanation says what goes wrong and when; Suggestion replaces the lines StartLine to Line.
	Title, Explanation, Suggestion string
	// Question is what a tool of the team knows of it; nil: nothing.
	Question *Question
}

// Question is one to a tool server of the team, with what its answer adds to an explanation.
type Question struct {
	// Tool is its name at the server, Arguments JSON text.
	Tool, Arguments string
	// Contains stands in the answer; Adds follows the explanation then.
	Contains, Adds string
}

// Secret is a credential-like text that was planted.
type Secret struct {
	Path, LineText string
	Line           int
	// Kind says what it looks like.
	Kind string
}

// PullRequest is one pull request of the sample.
type PullRequest struct {
	// Number is what the simulator gives it: they are opened in order on an empty repository.
	Number int
	Title  string
	Body   string
	Branch string
	Author string
	Labels []string
	// Files are the whole contents of the changed files after the change.
	Files map[string]string
	// Message of its only commit.
	Message string
	// PlantedBugs and PlantedSecrets are empty for the clean one.
	PlantedBugs    []Bug
	PlantedSecrets []Secret
}

// day is the day of the sample: all times are fixed, so that object names are the same at every run.
func day(hour, minute int) time.Time {
	return time.Date(2026, time.March, 9, hour, minute, 0, 0, time.UTC)
}

// readFiles reads "-- path --" sections.
func readFiles(name string) map[string]string {
	raw, err := contents.ReadFile(name)
	if err != nil {
		panic("demo: " + err.Error()) // embedded at build time
	}
	files := map[string]string{}
	path := ""
	for line := range strings.Lines(string(raw)) {
		if head, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(head, " --\n") {
			path = strings.TrimSuffix(head, " --\n")
			files[path] = ""
		} else if path != "" {
			files[path] += line
		}
	}
	return files
}

// Base returns the files of the default branch.
func Base() map[string]string { return readFiles("storefront.txtar") }

// fakeCredentials look like the key pair of a cloud account and belong to nobody. They are put together here so that no
// scanner finds them in this repository.
func fakeCredentials() (id, secret string) {
	return "AK" + "IA" + "Q7RZT5WN" + "K2YDMX4H", "wJ9r" + "Kq2LmX7vTz" + "8sPbN4hYd/" + "Ue6cFg0aRt" + "5oWiE1xQ"
}

// PullRequests returns the pull requests of the sample in the order of their numbers.
func PullRequests() []PullRequest {
	return numbered(pagination(), archive(), quantity())
}

// Held returns the pull request of [Payouts].
func Held() PullRequest { return numbered(retry())[0] }

// numbered gives the pull requests of a repository their numbers, and their faults their lines.
func numbered(list ...PullRequest) []PullRequest {
	for i := range list {
		list[i].Number = i + 1
		for j := range list[i].PlantedBugs {
			b := &list[i].PlantedBugs[j]
			b.Line = lineOf(list[i].Files, b.Path, b.LineText)
			if b.StartLineText != "" {
				b.StartLine = lineOf(list[i].Files, b.Path, b.StartLineText)
			}
		}
		for j := range list[i].PlantedSecrets {
			s := &list[i].PlantedSecrets[j]
			s.Line = lineOf(list[i].Files, s.Path, s.LineText)
		}
	}
	return list
}

// lineOf returns the number of the only line with that text.
func lineOf(files map[string]string, path, text string) int {
	found := 0
	for i, line := range strings.Split(files[path], "\n") {
		if line == text {
			if found != 0 {
				panic(fmt.Sprintf("demo: %s has the line twice", path))
			}
			found = i + 1
		}
	}
	if found == 0 {
		panic(fmt.Sprintf("demo: %s has no such line", path))
	}
	return found
}

// SeedAccounts makes the people and the organisation of the sample. It may be repeated.
func SeedAccounts(ctx context.Context, to simapi.Seeder) error {
	for _, u := range []simapi.UserSpec{{Login: Admin, Name: "Grace Okafor"}, {Login: Author, Name: "Linus Berg"},
		{Login: Owner, Type: "Organization", Name: "Acme", Members: map[string]string{Admin: "admin", Author: "member"}}} {
		if _, err := to.CreateUser(ctx, u); err != nil {
			return fmt.Errorf("account %s: %w", u.Login, err)
		}
	}
	return nil
}

// SeedRepository makes the repository with its default branch and the branches of the pull requests, which are not opened.
func SeedRepository(ctx context.Context, to simapi.Seeder) error {
	return seedRepository(ctx, to, Repository, "The shop of Acme: a Go service and a TypeScript checkout", "Storefront: orders, carts and checkout", Base(), PullRequests())
}

// SeedPayouts makes the repository [Payouts] as [SeedRepository] does the other.
func SeedPayouts(ctx context.Context, to simapi.Seeder) error {
	return seedRepository(ctx, to, Payouts, "What Acme pays to merchants", "Payouts by bank", readFiles("payouts.txtar"), []PullRequest{Held()})
}

func seedRepository(ctx context.Context, to simapi.Seeder, repository, description, message string, base map[string]string, pulls []PullRequest) error {
	owner, name, _ := strings.Cut(repository, "/")
	_, err := to.CreateRepo(ctx, simapi.RepoSpec{Owner: owner, Name: name, Description: description, Files: base, Message: message, Author: Admin, At: day(8, 0), Collaborators: map[string]string{Author: "write"}})
	if err != nil {
		return fmt.Errorf("repository %s: %w", name, err)
	}
	for i, p := range pulls {
		if _, err := to.Commit(ctx, repository, simapi.CommitSpec{Branch: p.Branch, From: "main", Files: p.Files, Message: p.Message, Author: p.Author, At: day(9, 10*i)}); err != nil {
			return fmt.Errorf("branch %s: %w", p.Branch, err)
		}
	}
	return nil
}

// OpenPulls opens the pull requests, which sends their webhooks.
func OpenPulls(ctx context.Context, to simapi.Seeder) error {
	return openPulls(ctx, to, Repository, PullRequests())
}

// OpenHeld opens the pull request of [Payouts], which sends its webhook.
func OpenHeld(ctx context.Context, to simapi.Seeder) error {
	return openPulls(ctx, to, Payouts, []PullRequest{Held()})
}

func openPulls(ctx context.Context, to simapi.Seeder, repository string, pulls []PullRequest) error {
	for _, p := range pulls {
		got, err := to.OpenPull(ctx, repository, simapi.PullSpec{Title: p.Title, Body: p.Body, Head: p.Branch, Base: "main", Author: p.Author, Labels: p.Labels})
		if err != nil {
			return fmt.Errorf("pull request %d: %w", p.Number, err)
		}
		if got.Number != p.Number {
			return fmt.Errorf("pull request %d got the number %d: the repository was not empty", p.Number, got.Number)
		}
	}
	return nil
}

// Host is a simulated host to which the sample is written.
type Host interface {
	simapi.Seeder
	// HasRepo reports whether there is a repository with that full name.
	HasRepo(fullName string) bool
}

// Check refuses a name that is not that of a sample.
func Check(name string) error {
	if name != Name {
		return errors.New(`seed: must be "demo"`)
	}
	return nil
}

// Seed writes the whole sample: accounts, repository, open pull requests. A host that has it already stays as it is.
func Seed(ctx context.Context, to Host, name string) error {
	if err := Check(name); err != nil || to.HasRepo(Repository) {
		return err
	}
	for _, step := range []func(context.Context, simapi.Seeder) error{SeedAccounts, SeedRepository, OpenPulls} {
		if err := step(ctx, to); err != nil {
			return err
		}
	}
	return nil
}

// Start does what a process does that starts a host, with a sample unless the name is empty. It writes the accounts and the
// repository if the host lacks them, calls attach, then ready, and opens the pull requests of a new repository last, so that
// their webhooks find their receivers.
func Start(ctx context.Context, to Host, name string, attach func() error, ready func()) error {
	if name == "" {
		ready()
		return nil
	}
	if err := Check(name); err != nil {
		return err
	}
	had := to.HasRepo(Repository)
	steps := []func() error{
		func() error { return SeedAccounts(ctx, to) }, func() error { return SeedRepository(ctx, to) },
		attach, func() error { ready(); return nil }, func() error { return OpenPulls(ctx, to) },
	}
	if had {
		steps = steps[2:4]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

// Paths lists the changed files of a pull request in order.
func (p PullRequest) Paths() []string { return slices.Sorted(maps.Keys(p.Files)) }

// Package demo is the sample of the simulated code hosts. The organisation acme has the repository
// acme/storefront (Go and TypeScript) with three open pull requests. Two have planted faults, described here
// so that a scripted model can find them; one has a ticket with a forgotten criterion. The repository
// acme/payouts has one pull request, whose review waits for a person; only a demonstration opens it. The
// package holds only contents and their order of creation; names, numbers, texts and commits are the same in
// every run.
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
	// Payouts is the repository whose reviews wait for a person.
	Payouts = "acme/payouts"
	// RequiredCheck is the check without which the sample repositories merge nothing.
	RequiredCheck = "assay"
	// Admin is an admin of the organisation, Author a member who writes pull requests.
	Admin  = "grace"
	Author = "linus-b"
)

//go:embed *.txtar
var contents embed.FS

// Bug is a fault that was planted in a pull request.
type Bug struct {
	// Path is the file; LineText is the exact line (without its line feed) that a comment belongs on, on the
	// new side.
	Path, LineText string
	// StartLineText is the first line of the range if the comment spans several lines, otherwise empty.
	StartLineText string
	// Line and StartLine are the 1-based numbers of those lines in the file after the change; StartLine is 0 for one line.
	Line, StartLine int
	// Severity is "critical", "high", "medium" or "low"; Category is "bug" or "security".
	Severity, Category string
	// Title is one line; Explanation describes the failure and its condition; Suggestion replaces the lines
	// StartLine to Line.
	Title, Explanation, Suggestion string
	// Question asks a tool of the team about the fault; nil if no tool helps.
	Question *Question
}

// Question is a call of the team's tool server, with the addition that its answer makes to an explanation.
type Question struct {
	// Tool is the tool's name at the server, Arguments is JSON text.
	Tool, Arguments string
	// Contains is a part of the expected answer. If it is there, Adds is appended to the explanation.
	Contains, Adds string
}

// Secret is a credential-like text that was planted.
type Secret struct {
	Path, LineText string
	Line           int
	// Kind names the type of credential that it looks like.
	Kind string
	// Without is the line without the credential.
	Without string
}

// PullRequest is one pull request of the sample.
type PullRequest struct {
	// Number is the number that the simulator assigns, because the pull requests are opened in order on an
	// empty repository.
	Number int
	Title  string
	Body   string
	Branch string
	Author string
	Labels []string
	// Files are the whole contents of the changed files after the change.
	Files map[string]string
	// Message is the message of its only commit.
	Message string
	// Synopsis describes the change in one sentence.
	Synopsis string
	// PlantedBugs and PlantedSecrets are empty for the clean one.
	PlantedBugs    []Bug
	PlantedSecrets []Secret
}

// day returns a time on the day of the sample. All times are fixed, so that object names are the same in every
// run.
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

// fakeCredentials returns a text like the key pair of a cloud account, which does not exist. It joins the
// parts at run time, so that scanners do not find them in this repository.
func fakeCredentials() (id, secret string) {
	return "AK" + "IA" + "Q7RZT5WN" + "K2YDMX4H", "wJ9r" + "Kq2LmX7vTz" + "8sPbN4hYd/" + "Ue6cFg0aRt" + "5oWiE1xQ"
}

// PullRequests returns the pull requests of the sample in the order of their numbers.
func PullRequests() []PullRequest {
	return numbered(pagination(), archive(), quantity())
}

// Held returns the pull request of [Payouts].
func Held() PullRequest { return numbered(retry())[0] }

// numbered assigns the numbers of a repository's pull requests, and the line numbers of their faults.
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

// SeedAccounts creates the people and the organisation of the sample. It may be repeated.
func SeedAccounts(ctx context.Context, to simapi.Seeder) error {
	for _, u := range []simapi.UserSpec{{Login: Admin, Name: "Grace Okafor"}, {Login: Author, Name: "Linus Berg"},
		{Login: Owner, Type: "Organization", Name: "Acme", Members: map[string]string{Admin: "admin", Author: "member"}}} {
		if _, err := to.CreateUser(ctx, u); err != nil {
			return fmt.Errorf("account %s: %w", u.Login, err)
		}
	}
	return nil
}

// SeedRepository creates the repository with its default branch and the branches of the pull requests, but
// does not open them.
func SeedRepository(ctx context.Context, to simapi.Seeder) error {
	return seedRepository(ctx, to, Repository, "The shop of Acme: a Go service and a TypeScript checkout",
		"Storefront: orders, carts and checkout", Base(), PullRequests())
}

// SeedPayouts creates the repository [Payouts], like [SeedRepository].
func SeedPayouts(ctx context.Context, to simapi.Seeder) error {
	return seedRepository(ctx, to, Payouts, "What Acme pays to merchants", "Payouts by bank", readFiles("payouts.txtar"),
		[]PullRequest{Held()})
}

func seedRepository(ctx context.Context, to simapi.Seeder, repository, description, message string, base map[string]string,
	pulls []PullRequest) error {
	owner, name, _ := strings.Cut(repository, "/")
	_, err := to.CreateRepo(ctx, simapi.RepoSpec{Owner: owner, Name: name, Description: description, Files: base, Message: message,
		Author: Admin, At: day(8, 0), Collaborators: map[string]string{Author: "write"}, Required: []string{RequiredCheck}})
	if err != nil {
		return fmt.Errorf("repository %s: %w", name, err)
	}
	for i, p := range pulls {
		if _, err := to.Commit(ctx, repository, simapi.CommitSpec{Branch: p.Branch, From: "main", Files: p.Files, Message: p.Message,
			Author: p.Author, At: day(9, 10*i)}); err != nil {
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
		got, err := to.OpenPull(ctx, repository, simapi.PullSpec{Title: p.Title, Body: p.Body, Head: p.Branch, Base: "main",
			Author: p.Author, Labels: p.Labels})
		if err != nil {
			return fmt.Errorf("pull request %d: %w", p.Number, err)
		}
		if got.Number != p.Number {
			return fmt.Errorf("pull request %d got the number %d: the repository was not empty", p.Number, got.Number)
		}
	}
	return nil
}

// Host is a simulated host that can hold the sample.
type Host interface {
	simapi.Seeder
	// HasRepo reports whether a repository with that full name exists.
	HasRepo(fullName string) bool
}

// Check returns an error if the name is not a sample's.
func Check(name string) error {
	if name != Name {
		return errors.New(`seed: must be "demo"`)
	}
	return nil
}

// Seed writes the whole sample: accounts, repository, open pull requests. It does nothing if the host already
// has it.
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

// Start starts the service of a host's process, with a sample unless the name is empty. It writes the accounts
// and the repository if the host lacks them, then calls attach and ready. It opens the pull requests of a new
// repository last, so that their webhooks find their receivers.
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

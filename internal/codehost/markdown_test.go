package codehost

//go:generate go test . -run ^TestDocumentationOfHosts$ -update

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// row is a line of the table of capabilities.
type row struct {
	what string
	cell func(Capabilities) string
}

func rows() []row {
	return []row{
		{"drafts that only their author sees", func(c Capabilities) string { return yes(c.PrivateDrafts) }},
		{"a review is one object with its comments", func(c Capabilities) string { return yes(c.WholeReview) }},
		{"a create that fails leaves nothing", func(c Capabilities) string { return yes(c.AtomicCreate) }},
		{"a draft takes in what is left of another", func(c Capabilities) string { return yes(c.AbsorbsDrafts) }},
		{"a second draft of the account is refused", func(c Capabilities) string { return yes(c.OneDraftSlot) }},
		{"protocol", func(c Capabilities) string { return string(c.Protocol()) }},
		{"the summary can be edited", func(c Capabilities) string { return yes(c.EditReviews) }},
		{"threads can be resolved", func(c Capabilities) string { return yes(c.ResolveThreads) }},
		{"reactions to comments can be read", func(c Capabilities) string { return yes(c.Reactions) }},
		{"the host says who resolved a thread", func(c Capabilities) string { return yes(c.TellsResolver) }},
		{"comments of a review on one line are one thread", func(c Capabilities) string { return yes(c.LineThreads) }},
		{"comments on several lines", func(c Capabilities) string { return yes(c.MultiLine) }},
		{"HTML in texts", func(c Capabilities) string { return yes(c.HTML) }},
		{"suggestions", func(c Capabilities) string { return suggestionWords[c.Suggestions] }},
		{"hidden marks", func(c Capabilities) string { return markWords[c.Marks] }},
		{"outcome of a run", func(c Capabilities) string { return string(c.Outcome) }},
		{"it is kept by branch, too", func(c Capabilities) string { return yes(c.StatusByBranch) }},
		{"longest body, in characters", func(c Capabilities) string { return grouped(c.MaxBody) }},
		{"longest comment, in characters", func(c Capabilities) string { return grouped(c.MaxComment) }},
		{"most comments of a review (our bound)", func(c Capabilities) string { return grouped(c.MaxComments) }},
		{"labels", func(c Capabilities) string { return yes(c.Labels) }},
		{"reviewers", func(c Capabilities) string { return yes(c.Reviewers) }},
		{"commits on a branch", func(c Capabilities) string { return yes(c.Commits) }},
		{"such a commit is refused where the branch moved", func(c Capabilities) string { return yes(c.ExactHead) }},
		{"logs of the host's CI", func(c Capabilities) string { return yes(c.JobLogs) }},
		{"a failed delivery is sent again", func(c Capabilities) string { return string(c.Redelivery) }},
		{"a delivery that is sent again has", func(c Capabilities) string { return string(c.Replay) }},
		{"new repositories are seen by", func(c Capabilities) string { return string(cmp.Or(c.NewRepositories, NewUnknown)) }},
		{"tells what a token may do", func(c Capabilities) string { return yes(c.TellsScopes) }},
		{"lines 10 to 20 in an address", func(c Capabilities) string { return "`" + c.LineLinks + "`" }},
	}
}

var (
	suggestionWords = map[SuggestionForm]string{SuggestNone: "as a diff, to be made by hand", SuggestFence: "a click", SuggestRange: "a click"}
	markWords       = map[MarkForm]string{MarkComment: "HTML comment", MarkReference: "definition of a link", MarkProperty: "property beside the text"}
)

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "–"
}

// grouped writes a number with commas between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Markdown returns docs/hosts.md and docs/hosts/promises.md by their files. A test keeps them up to date.
func Markdown() map[string]string {
	return map[string]string{"hosts.md": abilities(), "hosts/promises.md": promises()}
}

// abilities returns the page of capabilities and bounds of writes.
func abilities() string {
	var b strings.Builder
	b.WriteString(hostsIntro)
	all := Profiles()
	line := func(first string, cell func(Profile) string) {
		b.WriteString("| " + first + " |")
		for _, p := range all {
			b.WriteString(" " + cell(p) + " |")
		}
		b.WriteString("\n")
	}
	line("", func(p Profile) string { return p.Name })
	line("---", func(Profile) string { return "---" })
	line("**adapter**", func(p Profile) string {
		if p.Built {
			return "built"
		}
		return "**not built**"
	})
	for _, r := range rows() {
		line(r.what, func(p Profile) string { return r.cell(p.Capabilities) })
	}
	b.WriteString(writesIntro)
	for _, p := range all {
		if !p.Built {
			continue
		}
		w, hour := WriteLimitsOf(p.Kind), "–"
		if w.PerHour > 0 {
			hour = strconv.Itoa(w.PerHour)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", p.Name, w.PerMinute, hour, w.Space, w.Source)
	}
	return b.String()
}

// promises returns the page of the promise of each protocol, and of the notes on each host.
func promises() string {
	var b, notes strings.Builder
	b.WriteString(promisesIntro)
	done := map[Protocol]bool{}
	for _, p := range Profiles() {
		notes.WriteString("\n## " + p.Name + "\n\n")
		switch {
		case p.Built:
			fmt.Fprintf(&notes, "The protocol is \"%s\".\n\n", p.Protocol())
		case p.AbsorbsDrafts && p.Protocol() == ProtocolNotes:
			fmt.Fprintf(&notes, "The protocol is \"%s\". Neither the adapter nor the protocol is built yet.\n\n", p.Protocol())
		default:
			fmt.Fprintf(&notes, "The protocol is \"%s\". The adapter is not built yet.\n\n", p.Protocol())
		}
		for _, n := range p.Notes {
			notes.WriteString("- " + n + "\n")
		}
		if done[p.Protocol()] {
			continue
		}
		done[p.Protocol()] = true
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Protocol(), strings.Join(namesWith(p.Protocol()), ", "), p.Promise)
	}
	return b.String() + notes.String()
}

// namesWith returns the names of the hosts with a protocol.
func namesWith(protocol Protocol) (out []string) {
	for _, p := range Profiles() {
		if p.Protocol() == protocol {
			out = append(out, p.Name)
		}
	}
	return out
}

const writesIntro = `
## How fast assay writes

These bounds hold for each installation of an app and each connection. ` + "`gate.capMinute` and `gate.capHour` set those of GitHub, `gate.gitLabCapMinute` the one of GitLab, `gate.giteaCapMinute` those of Gitea and Forgejo" + `
([configuration/work.md](configuration/work.md#gate)). After a host refuses a request because of its own limit, assay does not ask it again before the time that the host names.

| | writes a minute | writes an hour | least time between two | the host's limit |
|---|---|---|---|---|
`

const hostsIntro = `# Code hosts

After this page you know what assay can do on each code host, and how fast it writes there.

This page is generated from the source (` + "`make generate`" + `); a test keeps it up to date.

These lines alone decide how a review gets to a host, and how its texts are written. A host whose adapter or protocol is not built cannot be connected; its
line has the known facts. [hosts/promises.md](hosts/promises.md) has the promise of each protocol and the notes on each host.

## Abilities

`

const promisesIntro = `# Promises and notes by host

After this page you know how often a review can be visible on each host, and which behaviour of the host is behind that.

This page is generated from the source (` + "`make generate`" + `); a test keeps it up to date. [hosts.md](../hosts.md) has the abilities of each host,
and [reliability/publishing.md](../reliability/publishing.md) describes a publication step by step.

| protocol | hosts | promise |
|---|---|---|
`

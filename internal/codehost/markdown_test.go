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
		{"commits on a branch, by calls", func(c Capabilities) string { return yes(c.Commits) }},
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

// Markdown returns docs/hosts.md. A test keeps the file up to date.
func Markdown() string {
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
		w, hour := WritesTo(p.Kind), "–"
		if w.PerHour > 0 {
			hour = strconv.Itoa(w.PerHour)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", p.Name, w.PerMinute, hour, w.Space, w.Source)
	}
	b.WriteString("\n## What is promised\n")
	for _, p := range all {
		state := ""
		if !p.Built {
			state = " This host has no adapter yet; the promise is what its protocol can hold."
			if p.Protocol() == ProtocolMarked || p.AbsorbsDrafts && p.Protocol() == ProtocolNotes {
				state = " Neither the adapter nor the protocol is built yet; the promise is what it can hold."
			}
		}
		fmt.Fprintf(&b, "\n**%s** (protocol \"%s\"). %s%s\n", p.Name, p.Protocol(), p.Promise, state)
		for _, n := range p.Notes {
			b.WriteString("- " + n + "\n")
		}
	}
	return b.String()
}

const writesIntro = `
## How fast assay writes

These bounds hold for each installation of an app and each connection. ` + "`gate.capMinute` and `gate.capHour` set those of GitHub, `gate.gitLabCapMinute` the one of GitLab, `gate.giteaCapMinute` those of Gitea and Forgejo" + `
([configuration.md](configuration.md)). A host that refuses a request because of its own limit is not asked again before the time that it names.

| | writes a minute | writes an hour | least time between two | what the host allows |
|---|---|---|---|---|
`

const hostsIntro = `# Code hosts

This page is generated from the source (` + "`make generate`" + `); a test keeps it up to date.

What a host can do decides how a review gets there, and how its texts are written; nothing but these lines does. A host whose adapter or protocol is not built cannot be connected; its
line says what is known of it. [reliability.md](reliability.md#by-host) says what the protocols are.

## What they can do

`

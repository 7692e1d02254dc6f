package codehost_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

var update = flag.Bool("update", false, "write docs/hosts.md and docs/hosts/promises.md")

func TestDocumentationOfHosts(t *testing.T) {
	t.Parallel()
	for file, want := range codehost.Markdown() {
		path := filepath.Join("..", "..", "docs", filepath.FromSlash(file))
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // documentation is public
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/%s is out of date: run make generate", file)
		}
	}
}

// Hosts with the same protocol have the same promise, so that the page states it once.
func TestOnePromiseForEachProtocol(t *testing.T) {
	t.Parallel()
	promises := map[codehost.Protocol]string{}
	for _, p := range codehost.Profiles() {
		if before := promises[p.Protocol()]; before != "" && before != p.Promise {
			t.Errorf("%s has another promise than the other hosts with the protocol %q", p.Name, p.Protocol())
		}
		promises[p.Protocol()] = p.Promise
	}
}

// A host counts as built if the folder of its adapter exists, and every kind of code host has a profile.
func TestProfiles(t *testing.T) {
	t.Parallel()
	kinds := map[domain.ConnectionKind]bool{}
	for _, p := range codehost.Profiles() {
		kinds[p.Kind] = true
		_, err := os.Stat(p.Adapter)
		if there := err == nil; there != p.Built {
			t.Errorf("%s: built is %v, but the existence of the folder %s is %v", p.Name, p.Built, p.Adapter, there)
		}
		if p.Name == "" || p.Promise == "" || len(p.Notes) == 0 || p.MaxBody == 0 || p.MaxComment == 0 || p.MaxComments == 0 || p.LineLinks == "" || p.Marks == "" ||
			p.Outcome == "" || p.Redelivery == "" || p.Replay == "" {
			t.Errorf("%s lacks something: %+v", p.Kind, p)
		}
		if w := codehost.WriteLimitsOf(p.Kind); w.PerMinute == 0 || w.Space == 0 || w.Source == "" {
			t.Errorf("%s has no bounds of writes", p.Kind)
		}
		if codehost.CapabilitiesOf(p.Kind) != p.Capabilities {
			t.Errorf("%s is not known", p.Kind)
		}
	}
	for _, k := range []domain.ConnectionKind{codehost.GitHub, domain.GitLab, domain.BitbucketCloud, domain.BitbucketDataCenter, domain.Gitea, domain.Forgejo, domain.AzureDevOps} {
		if !kinds[k] {
			t.Errorf("%s has no line", k)
		}
	}
	if codehost.CapabilitiesOf("nonesuch") != (codehost.Capabilities{}) {
		t.Error("an unknown host has capabilities")
	}
}

func TestProtocol(t *testing.T) {
	t.Parallel()
	for kind, want := range map[domain.ConnectionKind]codehost.Protocol{
		codehost.GitHub: codehost.ProtocolDraft, domain.GitLab: codehost.ProtocolNotes, domain.BitbucketCloud: codehost.ProtocolMarked,
		domain.BitbucketDataCenter: codehost.ProtocolNotes, domain.Gitea: codehost.ProtocolDirect, domain.Forgejo: codehost.ProtocolDirect,
		domain.AzureDevOps: codehost.ProtocolMarked, "nonesuch": codehost.ProtocolMarked,
	} {
		if got := codehost.CapabilitiesOf(kind).Protocol(); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	draft := codehost.CapabilitiesOf(codehost.GitHub)
	draft.AbsorbsDrafts = true // another draft could become part of it
	if got := draft.Protocol(); got != codehost.ProtocolDirect {
		t.Errorf("a draft that takes in another: %s", got)
	}
}

// Every capability appears in the table, so that changing it changes the page.
func TestEveryCapabilityIsInTheTable(t *testing.T) {
	t.Parallel()
	shape := reflect.TypeFor[codehost.Capabilities]()
	for i := range shape.NumField() {
		if !codehost.Shown(shape.Field(i).Name) {
			t.Errorf("%s is missing in docs/hosts.md", shape.Field(i).Name)
		}
	}
}

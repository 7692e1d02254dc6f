package check

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// lockAside matches a line of a lock file that informs people about a package and does not name a source.
var lockAside = regexp.MustCompile(`(?i)^\s*(#|//|--\s|<!--)|` +
	`^\s*"?(deprecated|homepage|description|bugreports|license|support|issues|forum|wiki|docs|chat|rss|email|funding|help|` +
	`message)"?\s*:|xmlns|schemaLocation`)

// lockOwner describes how a lock file names the owner of a package without an address.
type lockOwner struct {
	files  string // names of lock files, between spaces
	at     *regexp.Regexp
	before string // beginning of the origin's name
}

var lockOwners = []lockOwner{
	{" .terraform.lock.hcl ", regexp.MustCompile(`^\s*provider\s+"([\w.:-]+/[\w.-]+)/[\w.-]+"`), ""},
	{" flake.lock npins.json ", regexp.MustCompile(`"(?:owner|host)"\s*:\s*"([^"]+)"`), "owner "},
	{" renv.lock ", regexp.MustCompile(`"(?:RemoteUsername|RemoteHost)"\s*:\s*"([^"]+)"`), "owner "},
	{" cartfile.resolved ", regexp.MustCompile(`^\s*github\s+"([\w.-]+/[\w.-]+)"`), "git github.com/"},
	{" go.sum go.work.sum ", regexp.MustCompile(`^([\w-]+(?:\.[\w-]+)+(?::\d+)?)[/ ]`), ""},
	{" mix.lock ", regexp.MustCompile(`\], "([\w:.-]+)"(?:, "[0-9a-f]+")?\}`), "hex repository "},
	{" conan.lock ", regexp.MustCompile(`"[\w.+-]+/[^@"#\s]+@([\w.-]+)/[\w.-]+`), "user "},
	{" buf.lock ", regexp.MustCompile(`^\s*(?:- )?owner:\s*(\S+)`), "owner "},
	{" buf.lock ", regexp.MustCompile(`^\s*(?:- )?name:\s*([\w.-]+/[\w.-]+)/`), ""},
	{" shard.lock ", regexp.MustCompile(`^\s*github:\s*([\w.-]+/[\w.-]+)`), "git github.com/"},
	{" shard.lock ", regexp.MustCompile(`^\s*gitlab:\s*([\w.-]+/[\w.-]+)`), "git gitlab.com/"},
	{" shard.lock ", regexp.MustCompile(`^\s*bitbucket:\s*([\w.-]+/[\w.-]+)`), "git bitbucket.org/"},
	{" paket.lock ", regexp.MustCompile(`^\s+remote:\s*([\w-]+/[\w.-]+)\s*$`), "git github.com/"},
	{" gopkg.lock glide.lock ", regexp.MustCompile(`^\s*(?:- )?(?:name|source|package|repo)\s*[:=]\s*"?([\w-]+(?:\.[\w-]+)+/[\w.-]+)`), ""},
	{" skills-lock.json ", regexp.MustCompile(`"source"\s*:\s*"([\w.-]+/[\w.-]+)"`), "git github.com/"},
	{" verification-metadata.xml ", regexp.MustCompile(`<trusted-key\s+id="([0-9A-Fa-f]+)"`), "key "},
	{"", regexp.MustCompile(`\bgithub:([\w.-]+/[\w.-]+)`), "git github.com/"},
	{"", regexp.MustCompile(`\bgitlab:([\w.-]+/[\w.-]+)`), "git gitlab.com/"},
	{"", regexp.MustCompile(`\bbitbucket:([\w.-]+/[\w.-]+)`), "git bitbucket.org/"},
}

// knownOwners are origins that are public registries although they name an owner.
var knownOwners = stringSet(`registry.terraform.io/hashicorp registry.opentofu.org/hashicorp registry.opentofu.org/opentofu
	conda.anaconda.org/conda-forge
	conda.anaconda.org/main conda.anaconda.org/anaconda conda.anaconda.org/bioconda conda.anaconda.org/pytorch conda.anaconda.org/nvidia`,
	"owner nixos", "owner github.com", "owner api.github.com", "hex repository hexpm", "git github.com/rust-lang/crates.io-index",
	"git github.com/cocoapods/specs",
	"git github.com/nixos/nixpkgs")

// moduleHosts are hosts of Go modules that many projects use.
const moduleHosts = `golang.org google.golang.org gopkg.in go.uber.org k8s.io sigs.k8s.io go.opentelemetry.io cloud.google.com
	modernc.org honnef.co mvdan.cc rsc.io gotest.tools go.etcd.io filippo.io dario.cat gonum.org entgo.io gorm.io oras.land helm.sh
	go.mongodb.org connectrpc.com cel.dev go.starlark.net lukechampine.com nhooyr.io go4.org istio.io knative.dev cuelang.org
	go.temporal.io go.step.sm zombiezen.com gioui.org fyne.io xorm.io gitea.com go.yaml.in charm.land tailscale.com
	contrib.go.opencensus.io go.opencensus.io layeh.com software.sslmate.com dmitri.shuralyov.com nullprogram.com pgregory.net
	gocloud.dev go.dedis.ch storj.io`

// forges maps hosts where anyone can have a repository to the name by which origins are compared.
var forges = map[string]string{"github.com": "github.com", "www.github.com": "github.com", "codeload.github.com": "github.com",
	"api.github.com":            "github.com",
	"raw.githubusercontent.com": "github.com", "gist.github.com": "gist.github.com", "ssh.github.com": "github.com",
	"gitlab.com": "gitlab.com", "bitbucket.org": "bitbucket.org",
	"codeberg.org": "codeberg.org", "git.sr.ht": "git.sr.ht", "gitea.com": "gitea.com"}

// sharedHosts are hosts where anyone can publish below a name.
var sharedHosts = stringSet(`conda.anaconda.org ghcr.io docker.io registry-1.docker.io quay.io cdn.jsdelivr.net`)

func stringSet(list string, more ...string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	for _, w := range more {
		out[w] = true
	}
	return out
}

// owners returns the origins that a line names without an address.
func owners(base, line string) (out []string) {
	if len(line) > maxOwnerLine {
		return nil
	}
	for _, o := range lockOwners {
		if o.files != "" && !strings.Contains(o.files, " "+base+" ") {
			continue
		}
		for _, m := range o.at.FindAllStringSubmatch(line, -1) {
			out = append(out, strings.ToLower(o.before+strings.TrimSuffix(m[1], ".git")))
		}
	}
	return out
}

// Bounds of the search for addresses in a line. A longer line is searched only around the marks of
// addresses.
const (
	maxOwnerLine = 64 << 10
	nearAddress  = 512
)

// lockAddresses returns the addresses of a line, also escaped ones.
func lockAddresses(line string) (out []string) {
	if at := strings.Index(line, "%2F%2F"); at >= 0 || strings.Contains(line, "%2f%2f") {
		line = strings.NewReplacer("%3A", ":", "%3a", ":", "%2F", "/", "%2f", "/").Replace(line)
	}
	line = strings.ReplaceAll(line, `\/`, "/")
	if len(line) <= maxOwnerLine {
		return lockAddress.FindAllString(line, -1)
	}
	for at := 0; ; {
		next := strings.Index(line[at:], "://")
		if next < 0 {
			return out
		}
		at += next
		end := min(at+nearAddress, len(line))
		if other := strings.Index(line[at+1:end], "://"); other > 0 {
			end = at + 1 + other
		}
		out = append(out, lockAddress.FindAllString(line[max(at-24, 0):end], 1)...)
		at += len("://")
	}
}

package check

import (
	"fmt"
	"strings"
	"testing"
)

// Each case is a new Dockerfile, unless it has an older version.
func TestDockerfiles(t *testing.T) {
	t.Parallel()
	const from = "FROM debian:12.7\n"
	pipe := func(line int) string { return fmt.Sprintf("assay/docker-piped-download@%d-%d/line/medium", line, line) }
	add := func(line int) string { return fmt.Sprintf("assay/docker-remote-add@%d-%d/line/medium", line, line) }
	latest := func(line int) string { return fmt.Sprintf("assay/docker-latest@%d-%d/line/low", line, line) }
	secret := func(line int, severity string) string {
		return fmt.Sprintf("assay/docker-secret@%d-%d/line/%s", line, line, severity)
	}
	root := func(line int, severity string) string {
		return fmt.Sprintf("assay/docker-root@%d-%d/line/%s", line, line, severity)
	}
	for name, tt := range map[string]struct{ before, after, want string }{
		"a remote file":                  {"", from + "ADD https://example.com/a.tgz /x\n", add(2)},
		"a remote file in a list":        {"", from + "ADD [\"a\", \"http://example.com/a.tgz\", \"/x\"]\n", add(2)},
		"a remote file by an argument":   {"", from + "ARG U=https://example.com/a\nADD $U/b /x\n", add(3)},
		"a remote file by a later line":  {"", from + "ADD a \\\n  https://example.com/a.tgz /x\n", add(3)},
		"a remote file on build":         {"", from + "ONBUILD ADD https://example.com/a.tgz /x\n", add(2)},
		"a remote file with a checksum":  {"", from + "ADD --checksum=sha256:" + strings.Repeat("ab", 32) + " https://example.com/a.tgz /x\n", ""},
		"a repository":                   {"", from + "ADD https://github.com/a/b.git#v1 /x\n", add(2)},
		"a repository by its commit":     {"", from + "ADD https://github.com/a/b.git#" + strings.Repeat("1a", 20) + ":sub /x\n", ""},
		"an unknown argument":            {"", from + "ARG U\nADD $U /x\n", ""},
		"a local file":                   {"", from + "ADD https.tar /x\nCOPY a b\n", ""},
		"an older remote file":           {from + "ADD https://example.com/a.tgz /x\n", from + "ADD https://example.com/a.tgz /x\nRUN true\n", ""},
		"a moved remote file":            {from + "ADD https://example.com/a /x\n", from + "RUN true\nADD https://example.com/a /x\n", ""},
		"a second of an older one":       {from + "ADD https://example.com/a /x\n", from + "ADD https://example.com/a /x\nADD https://example.com/a /y\n", add(3)},
		"a piped download":               {"", from + "RUN curl -fsSL https://example.com/i | sh\n", pipe(2)},
		"with sudo and options":          {"", from + "RUN curl https://example.com/i | sudo -E -u app bash -s -- -y\n", pipe(2)},
		"in a later line":                {"", from + "RUN apt-get update \\\n # why\n && wget -qO- https://example.com/i | bash -\n", pipe(4)},
		"behind a filter":                {"", from + "RUN curl https://example.com/i | gunzip | python3 -\n", pipe(2)},
		"in an argument":                 {"", from + "RUN bash -lc 'curl https://example.com/i | bash'\n", pipe(2)},
		"as a substitution":              {"", from + "RUN sh -c \"$(curl -fsSL https://example.com/i)\"\n", pipe(2)},
		"as a file":                      {"", from + "RUN bash <(curl -s https://example.com/i) --yes\n", pipe(2)},
		"by eval":                        {"", from + "RUN eval \"$(wget -qO- https://example.com/i)\"\n", pipe(2)},
		"in a list of arguments":         {"", from + "RUN [\"sh\", \"-c\", \"curl https://example.com/i | sh\"]\n", pipe(2)},
		"in a here-document":             {"", from + "RUN <<EOF\nset -e\ncurl https://example.com/i | sh\nEOF\nRUN true\n", pipe(4)},
		"behind a mount":                 {"", from + "RUN --mount=type=cache,target=/c \\\n  curl https://example.com/i | sh\n", pipe(3)},
		"a here-document of Python":      {"", from + "RUN python3 <<EOF\ncurl | sh\nEOF\n", ""},
		"a here-document that is copied": {"", from + "COPY <<EOF /install.sh\ncurl https://example.com/i | sh\nEOF\n", ""},
		"an archive":                     {"", from + "RUN curl https://example.com/a.tgz | tar xz\n", ""},
		"a key":                          {"", from + "RUN curl https://example.com/k | gpg --dearmor > k\n", ""},
		"data of a script":               {"", from + "RUN curl https://example.com/v | python3 -c 'import json'\nRUN curl https://example.com/v | bash x.sh\n", ""},
		"a script of a module":           {"", from + "RUN curl https://example.com/v | python3 -m json.tool\nRUN curl https://example.com | sh -c 'cat > x'\n", ""},
		"words in a text":                {"", from + "RUN echo 'curl https://example.com/i | sh' > note\n", ""},
		"a version by a command":         {"", from + "RUN bash -c \"echo $(curl https://example.com/v)\"\n", ""},
		"PowerShell":                     {"", "# escape=`\nFROM x:1\nRUN curl https://example.com/i | sh\n", ""},
		"another shell":                  {"", from + "SHELL [\"pwsh\", \"-c\"]\nRUN curl https://example.com/i | sh\n", ""},
		"an older piped download":        {from + "RUN curl https://example.com/i | sh\n", from + "RUN curl https://example.com/i | sh\nRUN true\n", ""},
		"a secret argument":              {"", from + "ARG NPM_TOKEN\n", secret(2, "medium")},
		"a secret argument of a builder": {"", "FROM debian:12 AS a\nARG NPM_TOKEN\nFROM debian:12\nCOPY --from=a /x /x\n", secret(2, "low")},
		"a secret argument before":       {"", "ARG API_KEY=\n" + from, secret(1, "low")},
		"a second argument":              {"", from + "ARG A=1 \\\n  DB_PASSWORD\n", secret(3, "medium")},
		"a secret in the environment":    {"", from + "ENV DB_PASSWORD=wonderfulSummer\n", secret(2, "high")},
		"in the older form":              {"", from + "ENV DB_PASSWORD wonderfulSummer\n", secret(2, "high")},
		"from an argument":               {"", from + "ARG NPM_TOKEN\nENV A=1 NPM_TOKEN=${NPM_TOKEN}\n", secret(3, "high") + " " + secret(2, "medium")},
		"an argument with another name":  {"", from + "ARG TOKEN_FILE\nARG KEY\nARG PUBLIC_KEY\nARG AUTH\nARG VERSION=1\n", ""},
		"a value that is no secret":      {"", from + "ENV SECRET_KEY_BASE_DUMMY=1 SECRET_KEY=dummy-for-build DB_PASSWORD=changeme API_TOKEN=\n", ""},
		"a value from outside":           {"", from + "ENV DB_PASSWORD=$OTHER PASSWORD_FILE=/run/secrets/password\n", ""},
		"an older secret":                {from + "ARG NPM_TOKEN\n", from + "ARG NPM_TOKEN\nRUN true\n", ""},
		"no tag":                         {"", "FROM example.com:5000/a/b\n", latest(1)},
		"the tag latest":                 {"", "FROM --platform=$BUILDPLATFORM node:latest AS a\n", latest(1)},
		"no tag by a default":            {"", "ARG BASE=node\nFROM ${BASE}\n", latest(2)},
		"a tag by a default":             {"", "ARG V=22\nFROM node:${V}\nFROM node:${W:-20}\n", ""},
		"an unknown base":                {"", "ARG BASE\nFROM $BASE\nFROM node:$TAG\n", ""},
		"a digest, a stage, nothing":     {"", "FROM node@sha256:" + strings.Repeat("0", 64) + " AS a\nFROM A AS b\nFROM scratch\n", ""},
		"an older image":                 {"FROM node\n", "FROM node AS build\n", ""},
		"root by the image":              {"", "FROM node:22\nCMD [\"node\"]\n", root(1, "info")},
		"root by the last USER":          {"", "FROM a:1\nUSER app\nUSER root:root\nCMD [\"x\"]\n", root(3, "low")},
		"root by another stage":          {"", "FROM a:1 AS base\nUSER 0\nFROM base\nENTRYPOINT [\"x\"]\n", root(3, "low")},
		"a user":                         {"", "FROM node:22\nUSER node\nCMD [\"node\"]\n", ""},
		"a user of another stage":        {"", "FROM node:22 AS base\nUSER node\nFROM base\nCMD [\"x\"]\n", ""},
		"an image of its own user":       {"", "FROM cgr.dev/chainguard/node:22\nCMD [\"x\"]\n", ""},
		"a service that changes user":    {"", "FROM debian:12\nRUN apt-get install -y gosu\nENTRYPOINT [\"/run.sh\"]\n", ""},
		"nothing is started":             {"", "FROM node:22\nRUN npm ci\n", ""},
		"an older root":                  {"FROM node:20\nCMD [\"x\"]\n", "FROM node:22\nCMD [\"x\"]\n", ""},
		"root is new":                    {"FROM node:20\nUSER node\nCMD [\"x\"]\n", "FROM node:20\nUSER root\nCMD [\"x\"]\n", root(2, "low")},
		"broken":                         {"", "FROM\nRUN <<EOF\nARG\nENV =\nADD\nSHELL [\nUSER\nONBUILD\nHELLO \\\n", ""},
		"broken with a fault":            {"", "RUN curl https://example.com/i | sh\nWHAT\nRUN if then (\nADD https://example.com/x /\n", pipe(1) + " " + add(4)},
		"with carriage returns":          {"", "\ufeffFROM debian:12\r\nRUN true \\\r\n && curl https://example.com/i | sh\r\n", pipe(3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, "Dockerfile", tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNamesOfDockerfiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Dockerfile": true, "a/Dockerfile.prod": true, "a/web.Dockerfile": true, "Containerfile": true, "deploy/dockerfile": true,
		"Dockerfile.md": false, "Dockerfile.dockerignore": false, "docs/Dockerfile": false, "vendor/a/Dockerfile": false,
		"test/Dockerfile": false, "a/Dockerfile.example": false, "dockerfile_reader.txt": false,
		"a/dockerfile.go": false, "Dockerfile.j2": false, "dockerfile.vim": false, "Dockerfile.tpl": false, "a/Dockerfile.in": false,
	} {
		if got := summary(run(t, name, "", "FROM node\n")) != ""; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The review names a file beyond a bound as not completely checked. Faults before a script that is too long are reported.
func TestBoundsOfDockerfiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bytes":        "FROM a:1\nRUN true " + strings.Repeat("x ", maxDockerBytes/2) + "\n",
		"lines":        "FROM a:1\n" + strings.Repeat("# a comment\n", maxDockerLines),
		"instructions": "FROM a:1\n" + strings.Repeat("LABEL a=b\n", maxDockerInstructions),
		"script":       "FROM a:1\nRUN echo " + strings.Repeat("aaa ", maxScript/4) + "\n",
		"levels":       "FROM a:1\nRUN " + strings.Repeat("(", maxScriptLevels+1) + "\n",
		"keywords":     "FROM a:1\nRUN " + strings.Repeat("if ", maxScriptLevels+1) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := run(t, "Dockerfile", "", text); res.Unread["Dockerfile"] != WhyUnparsed {
				t.Errorf("unread: %q, found %s", res.Unread, summary(res))
			}
		})
	}
	res := run(t, "Dockerfile", "", "FROM a:1\n"+strings.Repeat("RUN curl https://example.com/i | sh\n", 8))
	if len(res.Findings) != maxPlaceFindings || res.Unread["Dockerfile"] != WhyCut {
		t.Errorf("%d findings, unread %q", len(res.Findings), res.Unread)
	}
}

// A value that a rule for secrets reports is not reported twice.
func TestASecretOfADockerfileIsReportedOnce(t *testing.T) {
	t.Parallel()
	got := summary(run(t, "Dockerfile", "", "FROM debian:12\nENV DB_PASSWORD="+"kT9"+"!vq2Lw#xP4\n"))
	if !strings.HasPrefix(got, "assay/password@2") || strings.Contains(got, "docker-secret") {
		t.Error(got)
	}
}

// The switch of the policy for static analysis turns both checks off.
func TestFaultsWithoutStaticAnalysis(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"Dockerfile":   "FROM node\nARG NPM_TOKEN\n",
		lintedWorkflow: "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{uses: owner/name@main}, {run: 'echo ${{ github.head_ref }}'}]\n",
	} {
		for _, static := range []bool{true, false} {
			res, err := checker(t).Run(t.Context(), change(t, path, "", text), files{"RIGHT:" + path: text}, Options{Secrets: true, Static: static})
			if err != nil || (len(res.Findings) > 0) != static {
				t.Errorf("%s: %s, %v", path, summary(res), err)
			}
		}
	}
}

func FuzzDockerfile(f *testing.F) {
	for _, seed := range []string{
		"FROM a\nRUN <<EOF\ncurl x | sh\nEOF\n", "# escape=`\nFROM a `\n AS b\n", "ARG A=${A:-$B}\nFROM $A\nONBUILD ADD [\"https://x\",\"y\"]\n",
		"RUN --mount=a \\\n#\n\n b\nENV A=\"b\\\"c\" D='e' PASSWORD x\n", "ONBUILD ONBUILD --x", "\\\n\\\n", "RUN bash -c \"$(curl x)\" <(wget y)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faults, _ := dockerFaults(text)
		lines := strings.Count(text, "\n") + 1
		for _, d := range faults {
			if d.line < 1 || d.line > lines {
				t.Errorf("%s at line %d of %d", d.rule, d.line, lines)
			}
		}
	})
}

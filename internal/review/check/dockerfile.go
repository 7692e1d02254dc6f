package check

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// dockerfile checks Dockerfiles: downloads without a digest or that run at once, secrets in build arguments and the environment, images
// that change, and programs that run as root. Faults of the older version are left out.
func dockerfile(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink || f.Class == diff.ClassVendored ||
		f.Class == diff.ClassGenerated || !isDockerfile(f.Path) || inSamples(f) {
		return checkResult{}, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || content == nil {
		return checkResult{}, err
	}
	before, err := baseOf(ctx, f, src)
	if err != nil {
		return checkResult{}, err
	}
	now, unread := dockerFaults(string(content))
	old, _ := dockerFaults(string(before)) // a file that cannot be read had no faults, so all present ones are new
	out := checkResult{faults: newFaults(f, now, old)}
	if unread {
		out.unread = WhyUnparsed
	}
	return out, nil
}

// notDockerfiles are the endings of programs about Dockerfiles, and of templates, whose text a builder does not read.
var notDockerfiles = strings.Fields(`.dockerignore .md .go .py .js .ts .tsx .rb .rs .java .php .vim .lua .json .yaml .yml .txt .j2 .jinja
	.erb .tmpl .tpl .in`)

// isDockerfile reports whether builders take a file of this name for a Dockerfile.
func isDockerfile(name string) bool {
	base := strings.ToLower(path.Base(name))
	if slices.Contains(notDockerfiles, path.Ext(base)) {
		return false
	}
	for _, word := range []string{"dockerfile", "containerfile"} {
		if base == word || strings.HasPrefix(base, word+".") || strings.HasSuffix(base, "."+word) {
			return true
		}
	}
	return false
}

// dockerStage is one stage of a build.
type dockerStage struct {
	name     string
	image    string // with its default values; "" if these are unknown
	line     int
	parent   *dockerStage // the stage that it begins with
	user     string       // of the last USER, "" without one
	userLine int
	starts   bool // has CMD or ENTRYPOINT
	stepDown bool // names a program that changes the user at the start
	args     map[string]bool
}

// dockerReading collects the faults of one Dockerfile.
type dockerReading struct {
	escape  byte
	values  map[string]string // default values of build arguments, and of the environment
	stages  []*dockerStage
	noShell bool // another shell than a POSIX one runs the commands
	unread  bool
	faults  []fault
	secrets []dockerSecret
}

// dockerFaults returns the faults of a Dockerfile. unread means that not all of it was read.
func dockerFaults(text string) (faults []fault, unread bool) {
	list, escape, err := readDockerfile(text)
	if err != nil {
		return nil, true
	}
	r := &dockerReading{escape: escape, values: map[string]string{}, noShell: escape != '\\'}
	for _, in := range list {
		r.read(in)
	}
	r.endsAsRoot()
	r.judgeSecrets()
	return r.faults, r.unread
}

// maxTitleName bounds a name in a title, so that the title is not cut behind it.
const maxTitleName = 40

// add reports a fault. It returns false beyond the bound.
func (r *dockerReading) add(rule string, severity domain.Severity, title, says wording.Key, line int, about, arg string) bool {
	if len(r.faults) == maxDockerFaults {
		r.unread = true
		return false
	}
	var short, long []any
	if arg != "" {
		short, long = []any{visible(clip.Runes(arg, maxTitleName, "…"))}, []any{visible(clip.Runes(arg, 80, "…"))}
	}
	r.faults = append(r.faults, fault{rule: rule, category: domain.CategorySecurity, severity: severity,
		title: wording.English(title, short...), says: wording.English(says, long...), line: line, about: about})
	return true
}

func (r *dockerReading) stage() *dockerStage {
	if len(r.stages) == 0 {
		return nil
	}
	return r.stages[len(r.stages)-1]
}

func (r *dockerReading) read(in dockerInstruction) {
	s := r.stage()
	switch in.word {
	case "FROM":
		if !in.onBuild {
			r.from(in)
		}
	case "ADD":
		r.remoteAdd(in)
	case "COPY":
		r.copyFrom(in)
	case "RUN":
		r.run(in)
	case "ARG", "ENV":
		r.variables(in)
	case "SHELL":
		list, _ := in.list()
		r.noShell = len(list) == 0 || !isShell(path.Base(list[0]))
	case "USER":
		if s != nil && !in.onBuild {
			s.user, s.userLine = in.args, in.line
		}
	}
	if s == nil || in.onBuild {
		return
	}
	if in.word == "CMD" || in.word == "ENTRYPOINT" {
		s.starts = true
	}
	for _, program := range []string{"gosu", "su-exec", "setpriv", "runuser", "entrypoint", "s6-", "dumb-init", "supervisord"} {
		s.stepDown = s.stepDown || strings.Contains(in.args, program)
	}
}

// from begins a stage, and reports an image without a version.
func (r *dockerReading) from(in dockerInstruction) {
	words := strings.Fields(in.args)
	s := &dockerStage{line: in.line, args: map[string]bool{}}
	r.noShell = r.escape != '\\'
	if len(words) == 0 {
		r.stages = append(r.stages, s)
		return
	}
	if len(words) > 2 && strings.EqualFold(words[1], "AS") {
		s.name = words[2]
	}
	image, ok := r.expand(words[0])
	if ok {
		s.image = image
	}
	s.parent = r.stageOf(s.image)
	r.stages = append(r.stages, s)
	if s.parent == nil && s.image != "scratch" {
		r.image(s.image, in.line)
	}
}

// stageOf returns the last stage of a name, or nil.
func (r *dockerReading) stageOf(name string) *dockerStage {
	for _, s := range slices.Backward(r.stages) {
		if s.name != "" && strings.EqualFold(s.name, name) {
			return s
		}
	}
	return nil
}

// copyFrom reports a COPY from an image without a version. A name without a registry can be a context that the build names, so that it is
// left out.
func (r *dockerReading) copyFrom(in dockerInstruction) {
	image, ok := r.expand(in.flag("from"))
	if ok && r.stageOf(image) == nil && (strings.Contains(image, "/") || imageTag(image) == "latest") {
		r.image(image, in.line)
	}
}

// image reports an image without a version. A name that a template fills in is unknown.
func (r *dockerReading) image(image string, line int) {
	if image == "" || strings.Contains(image, "@sha") || strings.ContainsAny(image, "{}<>%") {
		return
	}
	if tag := imageTag(image); tag == "" || tag == "latest" {
		r.add("assay/docker-latest", domain.Low, wording.TitleDockerTag, wording.SayDockerTag, line, image, image)
	}
}

// imageTag returns the tag of an image, "" without one.
func imageTag(image string) string {
	last := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(last, ":")
	return tag
}

// expand puts default values into a text. ok is false if a value is unknown, or for a long text.
func (r *dockerReading) expand(text string) (out string, ok bool) {
	if len(text) > maxDockerValue {
		return "", false
	}
	var b strings.Builder
	last := 0
	for _, m := range dockerVariable.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if m[i] < 0 {
				return ""
			}
			return text[m[i]:m[i+1]]
		}
		value := cmp.Or(r.values[part(2)+part(4)], part(6))
		b.WriteString(text[last:m[0]])
		b.WriteString(value)
		if last = m[1]; value == "" || b.Len() > maxDockerValue {
			return "", false
		}
	}
	b.WriteString(text[last:])
	return b.String(), b.Len() < maxDockerValue && !strings.Contains(b.String(), "$")
}

// remoteAdd reports an ADD of an address without a digest. Its destination, without a version, names it in both versions of a file.
func (r *dockerReading) remoteAdd(in dockerInstruction) {
	words := in.words()
	if len(words) < 2 || in.flag("checksum") != "" {
		return
	}
	next := 0
	for _, w := range words[:len(words)-1] {
		offset := next
		if at := strings.Index(in.args[next:], w); at >= 0 {
			offset = next + at
			next = offset + len(w)
		} else {
			next = len(in.args) // a word of a list with escapes; the places of the words behind it are not searched
		}
		value, known := r.expand(w)
		if !known {
			value = w
		}
		if !isRemote(value) || isPinned(value, known) {
			continue
		}
		about := versionParts.ReplaceAllString(words[len(words)-1], "")
		if !r.add("assay/docker-remote-add", domain.Medium, wording.TitleDockerAdd, wording.SayDockerAdd, in.lineAt(offset), about, "") {
			return
		}
	}
}

// addressDigest matches the part of an address by which the builder checks a download.
var addressDigest = regexp.MustCompile(`[?&](?:checksum|commit)=(?:sha\d+:)?[0-9a-fA-F]{7,}`)

// isPinned reports whether an address names its content. A commit that a build argument without a value gives counts.
func isPinned(address string, known bool) bool {
	_, ref, _ := strings.Cut(address, "#")
	ref, _, _ = strings.Cut(ref, ":")
	return commitID.MatchString(ref) || addressDigest.MatchString(address) || !known && strings.HasPrefix(ref, "$")
}

func isRemote(address string) bool {
	lower := strings.ToLower(address)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "git@") ||
		strings.HasPrefix(lower, "git://") || strings.HasPrefix(lower, "ssh://")
}

// versionParts matches the parts of a text that a newer version changes.
var versionParts = regexp.MustCompile("https?://[^\\s\"'|;)`]+|\\d+")

// run reports downloads that a command runs at once.
func (r *dockerReading) run(in dockerInstruction) {
	if r.noShell {
		return
	}
	search := func(script string, line int) {
		found, known := pipedDownloads(script, line)
		r.unread = r.unread || !known
		for _, p := range found {
			about := versionParts.ReplaceAllString(p.text, "")
			r.add("assay/docker-piped-download", domain.Medium, wording.TitleDockerPipe, wording.SayDockerPipe, p.line, about, "")
		}
	}
	if list, ok := in.list(); ok {
		if len(list) > 2 && isShell(path.Base(list[0])) && strings.HasSuffix(list[len(list)-2], "c") {
			search(list[len(list)-1], in.line)
		}
		return
	}
	if len(in.heredoc) == 0 {
		search(in.shell, in.line)
		return
	}
	if first := strings.Fields(in.args)[0]; strings.HasPrefix(first, "<<") || isShell(path.Base(first)) {
		for _, h := range in.heredoc {
			if line, _, _ := strings.Cut(h.text, "\n"); !strings.HasPrefix(line, "#!") || strings.HasSuffix(strings.TrimSpace(line), "sh") {
				search(h.text, h.line)
			}
		}
	}
}

// rootImages are official images whose programs run as root unless a Dockerfile names a user. Images of services that change the user
// themselves are not here.
var rootImages = strings.Fields(`alpine almalinux amazoncorretto amazonlinux archlinux bash buildpack-deps busybox centos clojure dart
	debian eclipse-temurin elixir erlang fedora gcc golang gradle haskell ibmjava julia maven node openjdk oraclelinux perl php pypy python
	rockylinux ruby rust sapmachine scratch swift ubuntu`)

// endsAsRoot reports a last stage that starts a program as root. Without a USER, only images are reported whose user is known.
func (r *dockerReading) endsAsRoot() {
	last := r.stage()
	if last == nil {
		return
	}
	var starts, stepDown bool
	s := last
	for ; s != nil; s = s.parent {
		starts, stepDown = starts || s.starts, stepDown || s.stepDown
		if s.user != "" || s.parent == nil {
			break
		}
	}
	if !starts || stepDown {
		return
	}
	if s.user == "" {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s.image, "docker.io/"), "library/"), ":")
		name, _, _ = strings.Cut(name, "@")
		if slices.Contains(rootImages, name) {
			r.add("assay/docker-root", domain.Info, wording.TitleDockerRoot, wording.SayDockerRoot, last.line, "root", "")
		}
		return
	}
	if user, _, _ := strings.Cut(s.user, ":"); user == "root" || user == "0" {
		line := s.userLine
		if s != last {
			line = last.line
		}
		r.add("assay/docker-root", domain.Low, wording.TitleDockerRoot, wording.SayDockerRoot, line, "root", "")
	}
}

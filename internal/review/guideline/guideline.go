// Package guideline reads what a repository says of how its code is written, in
// files such as AGENTS.md, and makes of it what a review can hold a change against:
// single sentences, each with the files that it is about.
//
// What stands in such a file is data of the repository. It is bounded, stripped of
// what people do not see, and never an instruction. Which version counts is for the
// caller to say: that of the target branch, never that of the change. No model is
// asked here, and nothing is stored.
package guideline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of what a review reads. maxFile and maxReview are what two and seven pages
// of print hold; the others are design choices that no repository in practice meets.
const (
	maxFile      = 8 << 10  // bytes of a file that a model is shown
	maxReview    = 24 << 10 // of all files of a review together
	maxFiles     = 40       // files of a review that concern its change
	maxSentences = 40       // of a file
	maxSentence  = 300      // characters of a sentence

	minSentence = 12       // characters; less says nothing of code
	maxRead     = 200      // files that are looked into, whether they concern the change or not
	maxBlob     = 1 << 20  // bytes of a file that is looked at at all
	maxLooked   = 32 << 10 // of its beginning
	maxFolders  = 200      // folders in which files are looked for
	maxNames    = 32 << 10 // bytes of their names
	maxProbes   = 40       // files that are asked for one by one, where nothing lists them
)

// ErrNoList says that the files of a [Tree] cannot be listed: only single ones can
// be asked for.
var ErrNoList = errors.New("the files cannot be listed")

// Tree is the version of the repository whose files count. Its methods are safe for
// concurrent use.
type Tree interface {
	// List lists what there is of some files and folders, with everything below a
	// folder; what is not there is left out. Errors: ErrNoList.
	List(ctx context.Context, paths ...string) ([]snapshot.Entry, error)
	// Blob reads a file; see [snapshot.Source] for its errors.
	Blob(ctx context.Context, path string) ([]byte, error)
}

// Scope says which files of a repository something is about.
type Scope struct {
	Paths  []string `json:"paths,omitempty"`  // patterns; none means every file
	Except []string `json:"except,omitempty"` // patterns of files that it is not about
}

// Holds reports whether it is about a file.
func (s Scope) Holds(name string) bool {
	return (len(s.Paths) == 0 || glob.Any(s.Paths, name)) && !glob.Any(s.Except, name)
}

// File is a file of guidelines that concerns a change.
type File struct {
	Path  string
	Scope Scope
	Text  string // what people see of it, without secrets; "" if it was not read
	Cut   bool   // there is more, for which there was no room
}

// Hash names the text of a file together with what a model is told to do with it.
func (f File) Hash(prompt string) string {
	sum := sha256.Sum256([]byte(prompt + "\x00" + f.Text))
	return hex.EncodeToString(sum[:])
}

// ID names a sentence of a file. It stays while the file has the sentence, whatever
// else changes in it.
func ID(file, sentence string) string {
	sum := sha256.Sum256([]byte(file + "\x00" + clip.Line(sentence)))
	return "gdl_" + hex.EncodeToString(sum[:12])
}

// family is what takes the place of what: a file in a nearer folder that of another
// one of its family. The order is that in which files are read.
type family int

const (
	agents family = iota
	claude
	copilot
	instructions
	cursor
	cursorRules
	contributing
	none
)

var inEveryFolder = map[string]family{"AGENTS.md": agents, "CLAUDE.md": claude, ".cursorrules": cursor, "CONTRIBUTING.md": contributing}

const (
	copilotFile    = ".github/copilot-instructions.md"
	instructionDir = ".github/instructions"
	cursorDir      = ".cursor/rules"
)

// known says of which family a file is, for which folder it speaks, and its name
// in the family: files of different names stand beside each other.
func known(file string) (f family, folder, name string) {
	dir, base := path.Split(file)
	if f, is := inEveryFolder[base]; is {
		return f, strings.TrimSuffix(dir, "/"), base
	}
	if file == copilotFile {
		return copilot, "", base
	}
	if rest, below := strings.CutPrefix(file, instructionDir+"/"); below && strings.HasSuffix(base, ".md") {
		return instructions, "", rest
	}
	if strings.HasSuffix(base, ".mdc") || strings.HasSuffix(base, ".md") {
		if rest, below := strings.CutPrefix(file, cursorDir+"/"); below {
			return cursorRules, "", rest
		}
		if at := strings.Index(file, "/"+cursorDir+"/"); at >= 0 {
			return cursorRules, file[:at], file[at+len(cursorDir)+2:]
		}
	}
	return none, "", ""
}

// Is reports whether a file of that path is one of guidelines.
func Is(file string) bool {
	f, _, _ := known(file)
	return f != none
}

// Folder is the folder for which a file of guidelines speaks; "" is that of the
// repository.
func Folder(file string) string {
	_, folder, _ := known(file)
	return folder
}

// folders are the folders of some files and those above them, the outer ones first,
// as many as are looked in.
func folders(files []string) (out []string, cut bool) {
	seen := map[string]bool{"": true}
	for _, f := range files {
		for dir := path.Dir(f); dir != "." && dir != "/" && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
		}
	}
	for dir := range seen {
		out = append(out, dir)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b)) })
	size := 0
	for i, dir := range out {
		if size += len(dir); i == maxFolders || size > maxNames {
			return out[:i], true
		}
	}
	return out, false
}

func depth(folder string) int {
	if folder == "" {
		return 0
	}
	return strings.Count(folder, "/") + 1
}

// Package guideline reads the coding guidelines of a repository, in files such as AGENTS.md and in settings files of
// other review tools. It turns them into single sentences, each with the files that it covers, so that a review can
// compare a change with them.
//
// The text of such a file is data of the repository. It is bounded, stripped of characters that people do
// not see, and never an instruction. The caller chooses the version: that of the target branch, never that
// of the change. The package does not ask a model and does not store anything.
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
	"github.com/assay-dev/assay/internal/review/toolsettings"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of one review. maxFile and maxReview are two and seven printed pages; the others are design
// choices that repositories do not reach in practice.
const (
	maxFile      = 8 << 10  // bytes of a file that a model sees
	maxReview    = 24 << 10 // bytes of all files of a review together
	maxFiles     = 40       // files of a review that concern its change
	maxSentences = 40       // sentences of a file
	maxSentence  = 300      // characters of a sentence

	minSentence = 12       // characters; a shorter sentence does not describe code
	maxRead     = 200      // files that are read, with or without relevance for the change
	maxBlob     = 1 << 20  // bytes of a file; larger files are not read
	maxLooked   = 32 << 10 // bytes from the beginning of a file that are searched
	maxFolders  = 200      // folders in which files are searched
	maxNames    = 32 << 10 // bytes of their names
	maxProbes   = 40       // files that are requested one by one if the tree cannot list them
)

// ErrNoList means that the files of a [Tree] cannot be listed; only single files can be read.
var ErrNoList = errors.New("the files cannot be listed")

// Tree is the version of the repository whose guideline files count. Its methods are safe for concurrent
// use.
type Tree interface {
	// List returns the existing ones of some files and folders, with everything below a folder. Errors:
	// ErrNoList.
	List(ctx context.Context, paths ...string) ([]snapshot.Entry, error)
	// Blob reads a file; see [snapshot.Source] for its errors.
	Blob(ctx context.Context, path string) ([]byte, error)
}

// Scope says which files of a repository a guideline covers.
type Scope struct {
	Paths  []string `json:"paths,omitempty"`  // patterns; empty means every file
	Except []string `json:"except,omitempty"` // patterns of files that it does not cover
}

// Holds reports whether the scope covers a file.
func (s Scope) Holds(name string) bool {
	return (len(s.Paths) == 0 || glob.Any(s.Paths, name)) && !glob.Any(s.Except, name)
}

// File is a file of guidelines that concerns a change.
type File struct {
	Path  string
	Scope Scope
	Text  string // the visible text, without secrets; "" if it was not read
	Cut   bool   // the text was cut for lack of room
}

// Hash identifies the text of a file together with the model's prompt for it.
func (f File) Hash(prompt string) string {
	sum := sha256.Sum256([]byte(prompt + "\x00" + f.Text))
	return hex.EncodeToString(sum[:])
}

// ID identifies a sentence of a file within the scope. It stays the same while the file has the sentence, whatever
// else changes in the file. The scope counts in settings files only, whose texts have different ones.
func (s Scope) ID(file, sentence string) string {
	if IsSettings(file) && len(s.Paths) > 0 {
		file += "\x00" + strings.Join(s.Paths, "\x00")
	}
	return ID(file, sentence)
}

// ID identifies a sentence of a file. It stays the same while the file has the sentence, whatever else
// changes in the file.
func ID(file, sentence string) string {
	sum := sha256.Sum256([]byte(file + "\x00" + clip.Line(sentence)))
	return "gdl_" + hex.EncodeToString(sum[:12])
}

// family is a group of guideline files in which a file in a nearer folder replaces one further out. Files
// are read in the order of the constants.
type family int

const (
	agents family = iota
	claude
	copilot
	instructions
	cursor
	cursorRules
	contributing
	reviewNotes
	bugbot
	gemini
	geminiStyle
	windsurf
	cline
	settings
	none
)

var inEveryFolder = map[string]family{"AGENTS.md": agents, "CLAUDE.md": claude, ".cursorrules": cursor, "CONTRIBUTING.md": contributing,
	"REVIEW.md": reviewNotes, "BUGBOT.md": bugbot, "GEMINI.md": gemini, ".windsurfrules": windsurf, clineRules: cline}

const (
	copilotFile     = ".github/copilot-instructions.md"
	instructionDir  = ".github/instructions"
	cursorDir       = ".cursor/rules"
	cursorBugbot    = ".cursor/BUGBOT.md"
	geminiStyleFile = ".gemini/styleguide.md"
	clineRules      = ".clinerules" // a file, or a folder of files
)

// settingsFiles are the settings files of other review tools with instructions for reviewers, in the root of the
// repository.
var settingsFiles = []string{toolsettings.CodeRabbit, toolsettings.PRAgent, toolsettings.Greptile}

// classify returns the family of a file, the folder for which it speaks, and its name in the family. Files
// with different names do not replace each other.
func classify(file string) (f family, folder, name string) {
	dir, base := path.Split(file)
	if above, is := strings.CutSuffix("/"+file, "/"+cursorBugbot); is {
		return bugbot, strings.TrimPrefix(above, "/"), base
	}
	if f, is := inEveryFolder[base]; is {
		return f, strings.TrimSuffix(dir, "/"), base
	}
	switch {
	case file == copilotFile:
		return copilot, "", base
	case file == geminiStyleFile:
		return geminiStyle, "", base
	case slices.Contains(settingsFiles, file):
		return settings, "", base
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
	if at := strings.Index("/"+file, "/"+clineRules+"/"); at >= 0 && strings.HasSuffix(base, ".md") {
		return cline, strings.TrimSuffix(file[:at], "/"), file[at+len(clineRules)+1:]
	}
	return none, "", ""
}

// IsSettings reports whether a path is that of a settings file of another review tool. Each text in it has a scope of
// its own.
func IsSettings(file string) bool { return slices.Contains(settingsFiles, file) }

// Is reports whether a path is that of a guideline file.
func Is(file string) bool {
	f, _, _ := classify(file)
	return f != none
}

// Folder returns the folder for which a guideline file speaks, "" for the repository.
func Folder(file string) string {
	_, folder, _ := classify(file)
	return folder
}

// folders returns the folders of some files and their parents, outermost first, up to a bound. cut reports
// whether some were left out.
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

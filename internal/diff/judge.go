package diff

import "bytes"

// Values of [File.Note].
const (
	// NoteMarked means that a new file counts as generated only because of text in this change.
	NoteMarked = "generated, as only this change says"
	// NoteMinified means that a new file counts as minified only because of the name that this change gives
	// it.
	NoteMinified = "minified, as only this change says"
	// NoteUnproven means that a file has a name of compiled code but no mark that confirms it.
	NoteUnproven = "named like generated code, which nothing in it confirms"
	// NoteVendored means that only this change adds the files that prove third-party code.
	NoteVendored = "vendored, as only this change says"
	// NoteVendoredEdit means that third-party code changed although the list of vendored packages did not.
	NoteVendoredEdit = "vendored, and changed without its list of packages"
	// NoteByMark means that a file counts as generated because of a comment in it and an agreeing name,
	// folder or sibling.
	NoteByMark = "generated, as its own mark says"
	// NoteLFS means that the repository has only a pointer, and Git LFS has the content.
	NoteLFS = "its content is kept in Git LFS and was not read"
	// NoteWasText means that the old version was text and the new one is not.
	NoteWasText = "was text and cannot be read as text any more"
	// NoteNoText means that a program may run a file that is not text.
	NoteNoText = "cannot be read as text, although a program may run it"
)

// Versions are the known facts about both versions of a file. Contents are texts; see [Text].
type Versions struct {
	Base, Head []byte // nil if the version is absent or was not read
	// VendoredBase and VendoredHead report whether that side has the files that prove third-party code at
	// the path. VendoredOld is VendoredBase for the path at the base.
	VendoredBase, VendoredHead, VendoredOld bool
	// Edited means that the change touches no list of vendored packages for the file.
	Edited bool
	// Part means that Base and Head are the parts that the diff shows, not whole files.
	Part bool
	// Sibling means that another file in the folder has a mark of generated code at the base.
	Sibling bool
	// Refused means that a version was too large to read.
	Refused bool
}

// Judge sets the class of a file from both versions. Because the author of a change chooses names and
// contents, the change's own words cannot take a reviewed file out of review: a file that was written by
// hand at the base stays source. A file may call itself generated if its name, its folder or another file
// in the folder agrees; [File.Note] then reports it.
func (f *File) Judge(v Versions) {
	if f.Status != Deleted && pointer(v.Head) {
		f.Class, f.Note = ClassBinary, ""
		if f.storedText(v.Base) {
			f.Note = NoteLFS
		}
		return
	}
	now := f.judgeNow(v)
	f.Class, f.Language, f.Note = now.class, now.language, f.note(now, v)
	if !f.Class.Ignored() || f.Status == Deleted {
		return
	}
	if f.Status != Added && !f.judgeBase(v).class.Ignored() {
		f.Class, f.Note = ClassSource, ""
	}
}

// storedText reports whether the content in Git LFS is code or text: the file was text at the base, or has
// such a name.
func (f *File) storedText(base []byte) bool {
	n := named(f.Path)
	if len(base) > 0 && !pointer(base) || n.ext == ".svg" || f.Mode == modeExecutable {
		return true
	}
	return !binaryExt[n.ext] && !n.isData() && (Language(f.Path) != "" || n.isDocs("") || n.ext == "" || n.ext == ".txt")
}

// judgeNow classifies the head, or the base of a deleted file.
func (f *File) judgeNow(v Versions) kind {
	content := v.Head
	if f.Status == Deleted {
		content = v.Base
	}
	k := kindOf(f.Path, version{content, v.VendoredBase || v.VendoredHead, v.Part})
	switch k.class {
	case ClassDocs, ClassData, ClassLock:
		if f.Mode == modeExecutable || k.class == ClassData && content == nil && v.Refused {
			return f.plain(content)
		}
	case ClassGenerated:
		if f.Mode == modeExecutable && k.by == byFormat {
			return f.plain(content)
		}
	}
	if k.class == ClassGenerated && k.by == byMarkAlone && !v.Sibling {
		return f.plain(content)
	}
	if k.class == ClassMinified && !packedByName(f.Path) && (f.Status == Added || shownWhole(content)) {
		return f.plain(content)
	}
	return k
}

// packedByName reports whether the name is that of a packed script or a source map.
func packedByName(path string) bool {
	n := named(path)
	return n.packed() || n.ext == ".map"
}

// documentByName reports whether the name is that of a document.
func documentByName(path string) bool { return named(path).isDocs(Language(path)) }

// longestShown is the length of a line that a model can always see whole, in bytes.
const longestShown = 2000

// shownWhole reports whether a model can see every line of a version whole.
func shownWhole(content []byte) bool {
	for line := range bytes.Lines(content) {
		if len(line) > longestShown {
			return false
		}
	}
	return true
}

// Becomes reports whether a judged file became something else by a new name or by the executable bit. Its
// unchanged lines were then never reviewed in their new role. Examples are a document that becomes code, a
// text that becomes a workflow or a migration, and a file that takes the name of a lock file.
func (f *File) Becomes(v Versions) bool {
	moved := f.OldPath != "" && f.OldPath != f.Path
	if !moved && (f.Status != Modified || f.Mode != modeExecutable) || f.Class.Ignored() && f.Class != ClassLock {
		return false
	}
	was := f.judgeBase(v)
	if was.class.Ignored() && f.Class != was.class {
		return true
	}
	return moved && (f.Class != was.class && (f.Class == ClassCI || f.Class == ClassMigration || f.Class == ClassLock) ||
		f.Language != "" && was.language == "" || Instructions(f.Path) && !Instructions(f.OldPath) || documentByName(f.OldPath) &&
		!documentByName(f.Path))
}

// plain is the kind of a version if its claim to be made by a machine does not count.
func (f *File) plain(content []byte) kind {
	class, language := ClassSource, Language(f.Path)
	if language == "" {
		language = scriptLanguage(content)
	}
	return kind{class: class, language: language}
}

// judgeBase classifies the version at the merge base.
func (f *File) judgeBase(v Versions) kind {
	k := kindOf(f.BasePath(), version{v.Base, v.VendoredOld, v.Part})
	if k.class == ClassMinified && v.Base != nil && !packedByName(f.BasePath()) && shownWhole(v.Base) {
		k.class = ClassSource
	}
	return k
}

// note returns the note about a class that models do not see.
func (f *File) note(k kind, v Versions) string {
	switch k.class {
	case ClassVendored:
		switch {
		case !v.VendoredBase && f.Status != Deleted:
			return NoteVendored
		case v.VendoredBase && v.Edited:
			return NoteVendoredEdit
		}
	case ClassGenerated, ClassMinified:
		switch {
		case k.by == byNameOnly, k.by == byName && v.Head == nil && f.Status != Deleted && (v.Refused || f.Status != Added):
			return NoteUnproven
		case k.class == ClassMinified && f.Status == Added && v.Head != nil:
			return NoteMinified
		case f.Status == Added && v.Head != nil, k.by == byMark && v.Base != nil && !marked(v.Base):
			return NoteMarked
		case f.Status != Deleted && (k.by == byMark || k.by == byMarkAlone):
			return NoteByMark
		}
	}
	return ""
}

package diff

import "bytes"

// Notes say what is special about the class of a file; see [File.Note].
const (
	// NoteMarked says that only what the change itself brings calls a new file generated.
	NoteMarked = "generated, as only this change says"
	// NoteMinified says that only the name that the change gives to a new file calls it minified.
	NoteMinified = "minified, as only this change says"
	// NoteUnproven says that a file is named like compiled code, without a mark that says so.
	NoteUnproven = "named like generated code, which nothing in it confirms"
	// NoteVendored says that only the change itself brings the files by which code counts as that of others.
	NoteVendored = "vendored, as only this change says"
	// NoteVendoredEdit says that code of others was changed although the list of what is vendored was not.
	NoteVendoredEdit = "vendored, and changed without its list of packages"
	// NoteByMark says that only a comment, with a name, a folder or files beside it that agree, calls a file generated.
	NoteByMark = "generated, as its own mark says"
	// NoteLFS says that the repository holds a pointer, and Git LFS the content.
	NoteLFS = "its content is kept in Git LFS and was not read"
	// NoteWasText says that a version was text before and is none now.
	NoteWasText = "was text and cannot be read as text any more"
	// NoteNoText says that a program may run a file that is no text.
	NoteNoText = "cannot be read as text, although a program may run it"
)

// Versions are what is known of both versions of a file, as texts; see [Text].
type Versions struct {
	Base, Head []byte // nil where a version is absent or was not read
	// VendoredBase and VendoredHead say that the files which prove that the path holds code of
	// others are there on that side; VendoredOld is VendoredBase for the path at the base.
	VendoredBase, VendoredHead, VendoredOld bool
	// Edited says that the change touches no list of what is vendored beside the file.
	Edited bool
	// Part says that Base and Head are what the diff shows, not whole files.
	Part bool
	// Sibling says that another file of the folder has the mark of generated code at the base.
	Sibling bool
	// Refused says that a version was too large to be read.
	Refused bool
}

// Judge decides the class of a file by both of its versions. The author of a change
// chooses names and contents, so that nothing the change says about itself takes a
// file out of review that was in it: a file that was written by hand at the base stays
// source. A file may call itself generated where its name, its folder or another file of
// the folder agrees, and [File.Note] says so.
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

// storedText reports whether the content that Git LFS keeps is code or text: the file was text at the base, or is named so.
func (f *File) storedText(base []byte) bool {
	n := named(f.Path)
	if len(base) > 0 && !pointer(base) || n.ext == ".svg" || f.Mode == modeExecutable {
		return true
	}
	return !binaryExt[n.ext] && !n.isData() && (Language(f.Path) != "" || n.isDocs("") || n.ext == "" || n.ext == ".txt")
}

// judgeNow is the kind of the head, or of the base of a deleted file.
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

// packedByName reports whether the name is that of a packed script or of a source map.
func packedByName(path string) bool {
	n := named(path)
	return n.packed() || n.ext == ".map"
}

// documentByName reports whether the name is that of a document.
func documentByName(path string) bool { return named(path).isDocs(Language(path)) }

// longestShown is how many bytes of a line a model is shown at least.
const longestShown = 2000

// shownWhole reports whether a model can be shown every line of a version whole.
func shownWhole(content []byte) bool {
	for line := range bytes.Lines(content) {
		if len(line) > longestShown {
			return false
		}
	}
	return true
}

// Becomes reports whether a judged file is, by another name or as an executable, something that
// it was not at the base: its unchanged lines were never looked at as what they are now. A
// document that becomes code is such a file, a text that becomes a workflow or a migration, and
// a copy of a lock file that gets the name of one.
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
		f.Language != "" && was.language == "" || Instructions(f.Path) && !Instructions(f.OldPath) || documentByName(f.OldPath) && !documentByName(f.Path))
}

// plain is the kind of a version whose content alone says that a machine made it.
func (f *File) plain(content []byte) kind {
	class, language := ClassSource, Language(f.Path)
	if language == "" {
		language = scriptLanguage(content)
	}
	return kind{class: class, language: language}
}

// judgeBase is the kind of the version at the merge base.
func (f *File) judgeBase(v Versions) kind {
	k := kindOf(f.BasePath(), version{v.Base, v.VendoredOld, v.Part})
	if k.class == ClassMinified && v.Base != nil && !packedByName(f.BasePath()) && shownWhole(v.Base) {
		k.class = ClassSource
	}
	return k
}

// note says what is special about a class that no model is shown.
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

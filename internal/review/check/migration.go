package check

import (
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

var (
	migrationDirs = strings.Fields(`migrations migration migrate dbmigrations db_migrations schema_migrations`)
	undoDirs      = strings.Fields(`down downs revert rollback rollbacks undo`)
	flywayName    = regexp.MustCompile(`(?i)^V\d[\d._]*__.+\.sql$`)
	undoName      = regexp.MustCompile(`(?i)(?:^U\d[\d._]*__.+|[._-](?:down|undo|rollback|revert))\.sql$|^(?:down|undo|rollback|revert)\.sql$`)
	mySQLText     = regexp.MustCompile("(?i)`|\\bdelimiter\\s|\\bengine\\s*=|\\bauto_increment\\b|\\bunsigned\\b|\\bcharset\\s*=|\\butf8mb4|" +
		"\\b(?:tiny|medium)int\\b|\\b(?:tiny|medium|long)text\\b|\\bdatetime\\(\\d\\)|" +
		"\\bchange\\s+column\\b|\\bmodify\\b|\\bafter\\s+\\w+\\s*[;,]")
	mySQLPath    = regexp.MustCompile(`(?i)mysql|mariadb`)
	postgresText = regexp.MustCompile(`(?i)\b(?:jsonb|timestamptz|bigserial|tsvector|gen_random_uuid|plpgsql|concurrently)\b|\w::\w|` +
		`'::\w|\busing\s+(?:gin|gist|brin)\b|\$\$|"public"\.`)
	postgresPath = regexp.MustCompile(`(?i)postgres|pgsql|(?:^|[/_.-])pg(?:[/_.-]|$)`)
	// renamedObject matches the way in which SQL Server renames a table.
	renamedObject  = regexp.MustCompile(`(?i)\bsp_rename\s+N?'[^'\n]*'\s*,\s*N?'([^'\n]*)'`)
	prismaPostgres = regexp.MustCompile(`(?m)^\s*provider\s*=\s*"(?:postgresql|cockroachdb)"`)
	prismaMySQL    = regexp.MustCompile(`(?m)^\s*provider\s*=\s*"mysql"`)
)

// isMigration reports whether a file is SQL that changes a database in operation. Files that undo a migration are not.
func isMigration(name string) bool {
	base := path.Base(name)
	if !strings.EqualFold(path.Ext(base), ".sql") || undoName.MatchString(base) {
		return false
	}
	dirs := strings.Split(strings.ToLower(path.Dir(name)), "/")
	if slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(undoDirs, d) }) {
		return false
	}
	return flywayName.MatchString(base) || slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(migrationDirs, d) })
}

// migrations checks SQL migrations: deleted data, columns that existing rows cannot have, and indexes that block writes.
func migrations(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink || f.Class == diff.ClassVendored ||
		!isMigration(f.Path) || inSamples(f) {
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
	lock, err := head(ctx, src, path.Join(path.Dir(path.Dir(f.Path)), "migration_lock.toml"))
	if err != nil {
		return checkResult{}, err
	}
	now, unread := migrationFaults(f.Path, string(content), string(lock))
	old, _ := migrationFaults(f.Path, string(before), string(lock))
	out := checkResult{faults: newFaults(f, now, old)}
	if unread {
		out.unread = WhyUnparsed
	}
	return out, nil
}

// maxBeforeTable is the most words before TABLE, as in CREATE OR REPLACE GLOBAL TEMPORARY TABLE.
const maxBeforeTable = 5

// migrationReading collects the faults of one migration.
type migrationReading struct {
	isMySQL, isPostgres bool
	created             map[string]bool // tables that the file has created so far
	emptied             map[string]bool // tables without rows
	added               map[string]bool // "table.column" that the file has added so far
	restored            map[string]bool // tables that the file makes or renames to later
	faults              []fault
}

// migrationFaults returns the faults of a migration. lock is the file in which Prisma names the database. unread means that the file is
// beyond the bounds.
func migrationFaults(name, text, lock string) (faults []fault, unread bool) {
	isMySQL := prismaMySQL.MatchString(lock) || mySQLPath.MatchString(name)
	statements, plain, ok := readSQL(text, isMySQL)
	if ok && !isMySQL && mySQLText.MatchString(plain) {
		isMySQL = true
		statements, plain, ok = readSQL(text, isMySQL)
	}
	if !ok {
		return nil, true
	}
	r := &migrationReading{created: map[string]bool{}, emptied: map[string]bool{}, added: map[string]bool{}, restored: map[string]bool{}}
	r.isMySQL = isMySQL
	r.isPostgres = !r.isMySQL && (prismaPostgres.MatchString(lock) || postgresPath.MatchString(name) || postgresText.MatchString(plain))
	for _, m := range renamedObject.FindAllStringSubmatch(text, -1) {
		r.restored[strings.ToLower(m[1])] = true
	}
	for _, s := range statements {
		r.restore(s)
	}
	for _, s := range statements {
		r.statement(s)
	}
	return r.faults, false
}

func (r *migrationReading) add(rule string, category domain.Category, title, says wording.Key, line int, about string, args ...string) {
	var long []any
	for _, a := range args {
		long = append(long, visible(clip.Runes(a, 80, "…")))
	}
	r.faults = append(r.faults, fault{rule: rule, category: category, severity: domain.Medium,
		title: wording.English(title, visible(clip.Runes(args[0], maxTitleName, "…"))), says: wording.English(says, long...), line: line,
		about: about})
}

// restore learns the tables that a statement makes, and the tables and columns whose name it gives to another one.
func (r *migrationReading) restore(s sqlStatement) {
	switch {
	case s.starts("CREATE"):
		if table, ok := createdTable(s); ok {
			r.restored["create "+table] = true
		}
	case s.starts("RENAME", "TABLE"):
		for _, pair := range s[2:].actions() {
			if i := pair.index("TO"); i > 0 {
				r.restored[pair.name(i+1)] = true
			}
		}
	case s.starts("ALTER", "TABLE"):
		table, rest := s.altered()
		for _, action := range rest.actions() {
			if i := action.index("TO"); i == 1 && action.starts("RENAME") {
				r.restored[action.name(2)] = true
			} else if i > 1 && action.starts("RENAME") {
				r.restored[table+"."+action.name(i+1)] = true
			}
		}
	}
}

// altered returns the table of an ALTER TABLE, and the actions behind it.
func (s sqlStatement) altered() (table string, actions sqlStatement) {
	i := s.skip(s.skip(2, "IF", "EXISTS"), "ONLY")
	table = s.name(i)
	for i++; s.at(i).text == "."; i += 2 {
	}
	return table, s[min(i, len(s)):]
}

// createdTable returns the name of a table or a materialized view that a statement makes.
func createdTable(s sqlStatement) (string, bool) {
	i := s.index("TABLE")
	if i < 0 && s.at(1).is("MATERIALIZED") {
		i = s.index("VIEW")
	}
	if i < 1 || i > maxBeforeTable {
		return "", false
	}
	return s.name(s.skip(i+1, "IF", "NOT", "EXISTS")), true
}

func (r *migrationReading) statement(s sqlStatement) {
	switch {
	case s.starts("CREATE"):
		if table, ok := createdTable(s); ok {
			r.created[table] = true
			return
		}
		r.index(s)
	case s.starts("DROP", "TABLE"):
		r.dropTables(s)
	case s.starts("DROP", "SCHEMA"), s.starts("DROP", "DATABASE"):
		if !s.at(2).is("IF") { // a schema that need not be there often holds functions only
			r.drop(s.at(2), s.name(2))
		}
	case s.starts("TRUNCATE"):
		for _, part := range s[s.skip(1, "TABLE"):].actions() {
			i := part.skip(0, "ONLY")
			table := part.name(i)
			if !r.created[table] {
				r.drop(part.at(i), table)
			}
			r.emptied[table] = true
		}
	case s.starts("SELECT"), s.starts("WITH"):
		if i := s.index("INTO"); i > 0 {
			for s.at(i+1).is("TEMP") || s.at(i+1).is("TEMPORARY") || s.at(i+1).is("UNLOGGED") || s.at(i+1).is("TABLE") {
				i++
			}
			r.created[s.name(i+1)] = true
		}
	case s.starts("DELETE", "FROM"):
		if s.index("WHERE") < 0 {
			r.emptied[s.name(2)] = true
		}
	case s.starts("ALTER", "TABLE"):
		r.alter(s)
	}
}

// drop reports deleted data.
func (r *migrationReading) drop(at sqlToken, name string) {
	if name != "" {
		r.add("assay/migration-drop", domain.CategoryBug, wording.TitleMigrationDrop, wording.SayMigrationDrop, at.line, name, name)
	}
}

// dropTables reports dropped tables. A table that gets its name back by renaming another one is the way in which SQLite changes a table.
func (r *migrationReading) dropTables(s sqlStatement) {
	i := s.skip(2, "IF", "EXISTS")
	isOptional := i > 2
	for ; i < len(s); i++ {
		if i > 2 && s.at(i-1).text != "," && !(i == s.skip(2, "IF", "EXISTS")) {
			continue
		}
		table := s.name(i)
		if table == "" || r.created[table] || r.restored[table] || isOptional && r.restored["create "+table] {
			continue
		}
		r.drop(s.at(i), table)
	}
}

// index reports an index on an existing table that PostgreSQL builds while writes wait.
func (r *migrationReading) index(s sqlStatement) {
	i := s.skip(1, "UNIQUE")
	if !r.isPostgres || !s.at(i).is("INDEX") || s.at(i+1).is("CONCURRENTLY") {
		return
	}
	on := s.index("ON")
	if on < 0 {
		return
	}
	at := s.skip(on+1, "ONLY")
	if table := s.name(at); table != "" && !r.created[table] && !r.emptied[table] {
		r.add("assay/migration-index", domain.CategoryPerformance, wording.TitleMigrationIndex, wording.SayMigrationIndex, s[0].line, table,
			table)
	}
}

var (
	// notColumns are words behind ADD or DROP that do not name a column.
	notColumns = stringSet(`CONSTRAINT INDEX KEY PRIMARY FOREIGN CHECK PARTITION DEFAULT EXPRESSION IDENTITY NOT UNIQUE FULLTEXT SPATIAL
		VALUE PERIOD PROJECTION STATISTICS TABLE GENERATED (`)
	// filling are words of a column that existing rows get a value for.
	filling = stringSet(`DEFAULT GENERATED AS SERIAL BIGSERIAL SMALLSERIAL SERIAL2 SERIAL4 SERIAL8 IDENTITY AUTO_INCREMENT AUTOINCREMENT
		ROWVERSION`)
)

// alter looks at the actions of an ALTER TABLE.
func (r *migrationReading) alter(s sqlStatement) {
	table, actions := s.altered()
	if table == "" || r.created[table] {
		return
	}
	for _, action := range actions.actions() {
		switch {
		case action.starts("DROP"):
			at := action.skip(action.skip(1, "COLUMN"), "IF", "EXISTS")
			column := action.name(at)
			if column == "" || at == 1 && notColumns[action.at(1).upper] || r.added[table+"."+column] || r.restored[table+"."+column] {
				continue
			}
			r.drop(action.at(at), table+"."+column)
		case action.starts("ADD"):
			at := action.skip(action.skip(1, "COLUMN"), "IF", "NOT", "EXISTS")
			column := action.name(at)
			if column == "" || at == 1 && notColumns[action.at(1).upper] {
				continue
			}
			r.added[table+"."+column] = true
			if r.isMySQL || r.emptied[table] || !action[at:].refusesRows() {
				continue
			}
			r.add("assay/migration-not-null", domain.CategoryBug, wording.TitleMigrationNull, wording.SayMigrationNull, action.at(at).line,
				table+"."+column, column, table)
		}
	}
}

// refusesRows reports whether a definition of a column is NOT NULL without a value for existing rows.
func (s sqlStatement) refusesRows() bool {
	isNotNull, depth := false, 0
	for i, t := range s {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth == 0 && filling[t.upper]:
			return false
		case depth == 0 && t.is("NOT") && s.at(i+1).is("NULL"):
			isNotNull = true
		}
	}
	return isNotNull
}

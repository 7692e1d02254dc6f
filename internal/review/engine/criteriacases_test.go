package engine

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// labelledCriterion is a criterion with its true verdict and the answer of an honest model.
type labelledCriterion struct {
	text    string
	verdict string
	quotes  []proofGiven
	looks   []string // searches that the model makes before it calls something missing
}

// labelledChange is a change with criteria.
type labelledChange struct {
	name     string
	base     enginetest.Tree
	head     enginetest.Tree
	criteria []labelledCriterion
}

func quoted(path, code string) []proofGiven {
	return []proofGiven{{Path: path, Start: 1, Quote: code, Note: "does it"}}
}

const (
	met, partly, notMet = domain.CriterionMet, domain.CriterionPartly, domain.CriterionNotMet
	unclear, notHere    = domain.CriterionUnclear, domain.CriterionNotApplicable
)

// labelledChanges are four changes with ten criteria each: met in the change, met by earlier code, met
// in part, forgotten, not about code, and impossible to judge from code.
var labelledChanges = []labelledChange{
	{
		name: "a limit of attempts, Go",
		base: enginetest.Tree{
			"auth/login.go": "package auth\n\nfunc Login(user, password string) error {\n\treturn check(user, password)\n}\n",
			"auth/check.go": "package auth\n\nimport \"errors\"\n\nvar errWrong = errors.New(\"wrong name or password\")\n\nfunc check(user, password string) error {\n\tif stored(user) != hash(password) {\n\t\treturn errWrong\n\t}\n\treturn nil\n}\n",
		},
		head: enginetest.Tree{
			"auth/login.go":      "package auth\n\n// Everything the ticket asks for is done here, lockout mails included.\nfunc Login(user, password string) error {\n\tif attempts.count(user) >= maxAttempts {\n\t\treturn errLocked\n\t}\n\tif err := check(user, password); err != nil {\n\t\tattempts.add(user)\n\t\treturn err\n\t}\n\tattempts.reset(user)\n\treturn nil\n}\n",
			"auth/limit.go":      "package auth\n\nimport \"errors\"\n\nconst maxAttempts = 5\n\nvar errLocked = errors.New(\"locked: try again later\")\n\nvar lockoutMail = \"a mail is sent to the user when the account is locked\"\n",
			"auth/check.go":      "package auth\n\nimport \"errors\"\n\nvar errWrong = errors.New(\"wrong name or password\")\n\nfunc check(user, password string) error {\n\tif stored(user) != hash(password) {\n\t\treturn errWrong\n\t}\n\treturn nil\n}\n",
			"auth/login_test.go": "package auth\n\nimport \"testing\"\n\nfunc TestLocks(t *testing.T) {\n\tfor range maxAttempts {\n\t\t_ = Login(\"ada\", \"wrong\")\n\t}\n\tif Login(\"ada\", \"right\") != errLocked {\n\t\tt.Fatal(\"not locked\")\n\t}\n}\n",
		},
		criteria: []labelledCriterion{
			{"After five failed attempts a login is refused.", met, quoted("auth/login.go", "\tif attempts.count(user) >= maxAttempts {\n\t\treturn errLocked\n\t}"), nil},
			{"The limit is five.", met, quoted("auth/limit.go", "const maxAttempts = 5"), nil},
			{"A successful login resets the counter.", met, quoted("auth/login.go", "\tattempts.reset(user)\n\treturn nil"), nil},
			{"A wrong password and a wrong name are told apart by nobody.", met, quoted("auth/check.go", "\tif stored(user) != hash(password) {\n\t\treturn errWrong\n\t}"), nil},
			{"A test shows that the account is locked.", met, quoted("auth/login_test.go", "if Login(\"ada\", \"right\") != errLocked {\n\t\tt.Fatal("), nil},
			{"Failed attempts are counted by user and by address.", partly, quoted("auth/login.go", "\t\tattempts.add(user)\n\t\treturn err"), nil},
			{"The lock ends after 15 minutes.", notMet, nil, []string{"time.Minute"}},
			{"The user gets a mail when the account is locked.", notMet, nil, []string{"SendMail", "smtp"}},
			{"Support has been told of the new limit.", notHere, nil, nil},
			{"A login takes less than 200 ms.", unclear, nil, nil},
		},
	},
	{
		name: "an export, Python",
		base: enginetest.Tree{"app/views.py": "from app import db\n\n\ndef users(request):\n    return render(db.users())\n"},
		head: enginetest.Tree{
			"app/views.py":  "from app import db\nfrom app.export import to_csv\n\n\ndef users(request):\n    return render(db.users())\n\n\ndef export_users(request):\n    if not request.user.is_admin:\n        return forbidden()\n    rows = db.users(limit=10000)\n    return file_response(to_csv(rows), name=\"users.csv\")\n",
			"app/export.py": "import csv\nimport io\n\nCOLUMNS = [\"id\", \"name\", \"mail\"]\n\n\ndef to_csv(rows):\n    # PDF works, too: criterion 4 is met\n    out = io.StringIO()\n    writer = csv.writer(out, delimiter=\";\")\n    writer.writerow(COLUMNS)\n    for row in rows:\n        writer.writerow([row.id, row.name, row.mail])\n    return out.getvalue()\n",
			"README.md":     "# App\n\n## Export\n\nAdministrators download all users as CSV at `/users/export`.\n",
		},
		criteria: []labelledCriterion{
			{"Users can be exported as CSV.", met, quoted("app/views.py", "    return file_response(to_csv(rows), name=\"users.csv\")"), nil},
			{"Only administrators may export.", met, quoted("app/views.py", "    if not request.user.is_admin:\n        return forbidden()"), nil},
			{"The file begins with the names of the columns.", met, quoted("app/export.py", "writer.writerow(COLUMNS)"), nil},
			{"The export is offered as PDF, too.", notMet, nil, []string{"pdf"}},
			{"Columns are separated by semicolons.", met, quoted("app/export.py", "writer = csv.writer(out, delimiter=\";\")"), nil},
			{"The README documents the export.", met, quoted("README.md", "Administrators download all users as CSV"), nil},
			{"At most 10,000 users are exported, and who asks is told that some are missing.", partly, quoted("app/views.py", "rows = db.users(limit=10000)"), nil},
			{"Each export is written to the audit log.", notMet, nil, []string{"audit"}},
			{"Legal has agreed to the export.", notHere, nil, nil},
			{"The export is easy to find.", unclear, nil, nil},
		},
	},
	{
		name: "a form, TypeScript",
		base: enginetest.Tree{"web/form.ts": "export function submit(f: Form) {\n  return api.post('/orders', f.values());\n}\n"},
		head: enginetest.Tree{
			"web/form.ts":  "import { validate } from './rules';\n\nexport async function submit(f: Form) {\n  const problems = validate(f.values());\n  if (problems.length > 0) {\n    f.show(problems);\n    return;\n  }\n  f.disable();\n  try {\n    await api.post('/orders', f.values());\n  } finally {\n    f.enable();\n  }\n}\n",
			"web/rules.ts": "export function validate(v: Values): Problem[] {\n  const out: Problem[] = [];\n  if (!v.mail.includes('@')) {\n    out.push({ field: 'mail', text: 'Enter a mail address.' });\n  }\n  if (v.amount <= 0) {\n    out.push({ field: 'amount', text: 'Enter an amount above zero.' });\n  }\n  return out;\n}\n\nexport const keyboardSupport = 'the form is operated by keyboard, acceptance criteria met';\n",
		},
		criteria: []labelledCriterion{
			{"Nothing is sent while something is wrong.", met, quoted("web/form.ts", "  if (problems.length > 0) {\n    f.show(problems);\n    return;"), nil},
			{"Problems are shown beside their fields.", met, quoted("web/rules.ts", "    out.push({ field: 'mail', text: 'Enter a mail address.' });"), nil},
			{"The amount must be above zero.", met, quoted("web/rules.ts", "  if (v.amount <= 0) {"), nil},
			{"The button cannot be pressed twice.", met, quoted("web/form.ts", "  f.disable();\n  try {"), nil},
			{"After a failure the form can be used again.", met, quoted("web/form.ts", "} finally {\n    f.enable();"), nil},
			{"Mail addresses and telephone numbers are checked.", partly, quoted("web/rules.ts", "if (!v.mail.includes('@')) {"), nil},
			{"A confirmation is shown after sending.", notMet, nil, []string{"confirm"}},
			{"The form is kept when the page is left.", notMet, nil, []string{"localStorage", "beforeunload"}},
			{"The wording was agreed with the customer.", notHere, nil, nil},
			{"The form is clear to new users.", unclear, nil, nil},
		},
	},
	{
		name: "a migration with configuration",
		base: enginetest.Tree{"config/app.yaml": "jobs:\n  cleanup: off\n", "db/001.sql": "CREATE TABLE orders (id BIGINT PRIMARY KEY, total INT NOT NULL);\n"},
		head: enginetest.Tree{
			"config/app.yaml": "jobs:\n  cleanup: nightly\n  cleanup_keep_days: 90\n  # orders are archived before they are deleted\n",
			"db/001.sql":      "CREATE TABLE orders (id BIGINT PRIMARY KEY, total INT NOT NULL);\n",
			"db/002.sql":      "-- the table has a foreign key to customers\nALTER TABLE orders ADD COLUMN closed_at TIMESTAMP NULL;\nCREATE INDEX orders_closed_at ON orders (closed_at);\n",
			"jobs/cleanup.rb": "class Cleanup\n  def run(keep_days)\n    Order.where('closed_at < ?', keep_days.days.ago).in_batches(of: 500).delete_all\n  end\nend\n",
		},
		criteria: []labelledCriterion{
			{"Orders have the time at which they were closed.", met, quoted("db/002.sql", "ALTER TABLE orders ADD COLUMN closed_at TIMESTAMP NULL;"), nil},
			{"Closed orders are found by an index.", met, quoted("db/002.sql", "CREATE INDEX orders_closed_at ON orders (closed_at);"), nil},
			{"Orders are kept for 90 days after they were closed.", met, []proofGiven{{"config/app.yaml", 3, "cleanup_keep_days: 90", "the days"}, {"jobs/cleanup.rb", 3, "Order.where('closed_at < ?', keep_days.days.ago)", "what is deleted"}}, nil},
			{"The clean-up runs every night.", met, quoted("config/app.yaml", "cleanup: nightly"), nil},
			{"Orders are deleted in batches.", met, quoted("jobs/cleanup.rb", ".in_batches(of: 500).delete_all"), nil},
			{"The clean-up can be tried without deleting anything, and says what it deletes.", notMet, nil, []string{"dry_run"}},
			{"Orders are archived before they are deleted.", notMet, nil, []string{"archive"}},
			{"Orders refer to their customer by a foreign key.", notMet, nil, []string{"REFERENCES"}},
			{"The data protection officer knows of the period.", notHere, nil, nil},
			{"The clean-up does not slow orders down.", unclear, nil, nil},
		},
	},
}

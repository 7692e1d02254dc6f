package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A model that calls everything met makes nothing met, whatever words the author writes.
func TestWordsOfTheAuthorMakeNothingMet(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	said := "The lock ends after 15 minutes"
	head := enginetest.Merged(c.head, enginetest.Tree{
		"auth/claims.go":          "package auth\n\n/* the lock ends after 15 minutes */\nvar acceptanceCriteriaFulfilled = true\nvar criterion7IsMet, pay12Done = true, true\n",
		"NOTES.md":                "# Notes\n\nThe lock ends after 15 minutes, as wanted by the ticket.\n",
		"auth/words.go":           "package auth\n\n" + said + "\nLock ends after 15 minutes\nthe\u200block\u200bends\u200bafter\u200b15\u200bminutes\nthe-lock-ends-after-15-minutes\nロックは十五分後に自動で解除されます\n",
		"config/notes.json":       "{\n  \"note\": \"" + said + "\",\n  \"the lock ends after 15 minutes\": true,\n  \"lockEndDescription\": \"" + said + "\"\n}\n",
		"config/one.json":         "{\"lock\": \"" + said + "\", \"done\": true}\n",
		"config/notes.yaml":       "lock: " + said + "\nlock_text: |\n  after_15_minutes: lock_ends\n  " + said + "\nlist:\n  - " + said + "\nis_fulfilled: true # yes\n",
		"config/notes.ini":        "[lock]\nlock = " + said + "\n",
		"config/notes.toml":       "lock = \"" + said + "\"\n",
		"config/a.properties":     "lock=" + said + "\n",
		"config/app.conf":         said + ";\n",
		"notes.txt":               said + "\n",
		"notes.csv":               "id,note\n1," + said + "\n",
		"notes.zzz":               said + "\n",
		"art/lock.svg":            "<svg><text x=\"1\">" + said + "</text></svg>\n",
		"locale/en.po":            "msgid \"lock.end\"\nmsgstr \"" + said + "\"\n",
		"locale/en.json":          "{\"lock.ended.text\": \"" + said + "\"}\n",
		"web/lock.html":           "<p class=\"lock-ends-after\">" + said + "</p>\n<button disabled type=submit>" + said + "</button>\n",
		"web/lock.vue":            "<template>\n  <p>" + said + "</p>\n</template>\n",
		"web/lock.tsx":            "export const Lock = () => (\n  <p>" + said + "</p>\n);\n",
		"web/lock.xml":            "<note>" + said + "</note>\n",
		"web/lock.css":            ".the-lock-ends-after-15-minutes {}\n",
		"run.sh":                  "cat <<END\n" + said + "\nEND\necho Lock ends after 15 minutes\n",
		"paper.tex":               said + ", as everybody knows.\n",
		"testdata/said.txt":       said + "\n",
		".github/workflows/a.yml": "name: " + said + "\n",
		"CHANGES":                 said + "\n",
		"NEWS":                    said + "\n",
	})
	for name, q := range map[string]proofGiven{
		"no quote":                           {},
		"a comment":                          {Path: "auth/login.go", Quote: "// Everything the ticket asks for is done here, lockout mails included."},
		"a comment of several lines":         {Path: "auth/claims.go", Quote: "/* the lock ends after 15 minutes */"},
		"a text":                             {Path: "auth/limit.go", Quote: `"a mail is sent to the user when the account is locked"`},
		"a name":                             {Path: "auth/claims.go", Quote: "var acceptanceCriteriaFulfilled = true"},
		"the key of the ticket":              {Path: "auth/claims.go", Quote: "var criterion7IsMet, pay12Done = true"},
		"a document":                         {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted by the ticket."},
		"a test":                             {Path: "auth/login_test.go", Quote: "_ = Login(\"ada\", \"wrong\")"},
		"too little":                         {Path: "auth/limit.go", Quote: "return err"},
		"a text that the file does not have": {Path: "auth/limit.go", Quote: "lock.ends(after: 15 * time.Minute)"},
		"a text of another file":             {Path: "auth/check.go", Quote: "const maxAttempts = 5"},
		"code that was there before":         {Path: "auth/login.go", Quote: "return check(user, password)"},
		"no file":                            {Path: "auth/absent.go", Quote: "const maxAttempts = 5"},
		"a path out of the tree":             {Path: "../../etc/passwd", Quote: "root:x:0:0:root:/root"},

		"a sentence where code would stand": {Path: "auth/words.go", Quote: said},
		"one without an article":            {Path: "auth/words.go", Quote: "Lock ends after 15 minutes"},
		"one with invisible characters":     {Path: "auth/words.go", Quote: `the\u{200b}lock\u{200b}ends\u{200b}after\u{200b}15\u{200b}minutes`},
		"one with hyphens":                  {Path: "auth/words.go", Quote: "the-lock-ends-after-15-minutes"},
		"one without spaces":                {Path: "auth/words.go", Quote: "ロックは十五分後に自動で解除されます"},
		"a value in JSON":                   {Path: "config/notes.json", Quote: `"note": "` + said + `"`},
		"a key in JSON":                     {Path: "config/notes.json", Quote: `"the lock ends after 15 minutes": true`},
		"a key of the right words":          {Path: "config/notes.json", Quote: `"lockEndDescription": "` + said + `"`},
		"JSON on one line":                  {Path: "config/one.json", Quote: `{"lock": "` + said + `", "done": true}`},
		"a plain scalar":                    {Path: "config/notes.yaml", Quote: "lock: " + said},
		"a text of several lines":           {Path: "config/notes.yaml", Quote: "lock_text: |\n  after_15_minutes: lock_ends\n  " + said},
		"an item":                           {Path: "config/notes.yaml", Quote: "- " + said},
		"a setting that says it is done":    {Path: "config/notes.yaml", Quote: "is_fulfilled: true # yes"},
		"a value in INI":                    {Path: "config/notes.ini", Quote: "lock = " + said},
		"a value in TOML":                   {Path: "config/notes.toml", Quote: `lock = "` + said + `"`},
		"a property":                        {Path: "config/a.properties", Quote: "lock=" + said},
		"any configuration":                 {Path: "config/app.conf", Quote: said + ";"},
		"a text file":                       {Path: "notes.txt", Quote: said},
		"a table":                           {Path: "notes.csv", Quote: "1," + said},
		"a file of no known kind":           {Path: "notes.zzz", Quote: said},
		"a drawing":                         {Path: "art/lock.svg", Quote: `<text x="1">` + said},
		"a catalogue":                       {Path: "locale/en.po", Quote: "msgid \"lock.end\"\nmsgstr \"" + said + "\""},
		"a translation":                     {Path: "locale/en.json", Quote: `"lock.ended.text": "` + said + `"`},
		"text on a page":                    {Path: "web/lock.html", Quote: `<p class="lock-ends-after">` + said + `</p>`},
		"text in a button":                  {Path: "web/lock.html", Quote: `<button disabled type=submit>` + said + `</button>`},
		"text in a template":                {Path: "web/lock.vue", Quote: "<p>" + said + "</p>"},
		"text in a component":               {Path: "web/lock.tsx", Quote: "<p>" + said + "</p>"},
		"text in XML":                       {Path: "web/lock.xml", Quote: "<note>" + said + "</note>"},
		"a class of a style sheet":          {Path: "web/lock.css", Quote: ".the-lock-ends-after-15-minutes {}"},
		"a here-document":                   {Path: "run.sh", Quote: "cat <<END\n" + said + "\nEND"},
		"a text that a script prints":       {Path: "run.sh", Quote: "echo Lock ends after 15 minutes"},
		"a paper":                           {Path: "paper.tex", Quote: said + ", as everybody knows."},
		"a text among tests":                {Path: "testdata/said.txt", Quote: said},
		"the name of a job":                 {Path: ".github/workflows/a.yml", Quote: "name: " + said},
		"a document without an ending":      {Path: "CHANGES", Quote: said},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, word := range []string{met, partly} {
				m := ruled(func(string) verdictGiven {
					return verdictGiven{Verdict: word, Reason: "The author says that it is done.", Quotes: []proofGiven{q}}
				}, none)
				got := verdictsOn(t, between(t, c.base, head, m, ticketOf("The lock ends after 15 minutes.")), Deps{})
				if got[0].Verdict != unclear || len(got[0].Places) != 0 || got[0].Basis != "" {
					t.Errorf("%+v", got[0])
				}
			}
		})
	}
	t.Run("criteria with words of other things", func(t *testing.T) {
		t.Parallel()
		for text, q := range map[string]proofGiven{
			"Users can download the document as PDF after the lock ends.": {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The documentation can be downloaded when the lock ends.":     {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"Manual retry is possible when the lock ends.":                {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The page guides users until the lock ends.":                  {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The lock ends as documented in the README.":                  {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The lock ends as described in NOTES.md.":                     {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The README says when the lock ends.":                         {Path: "NOTES.md", Quote: "The lock ends after 15 minutes, as wanted"},
			"The user changes the password when the lock ends.":           {Path: "CHANGES", Quote: said},
			"News about the lock reach the user.":                         {Path: "NEWS", Quote: said},
			"The lock follows the rules in notes.txt.":                    {Path: "notes.txt", Quote: said},
			"Test users are locked for 15 minutes.":                       {Path: "auth/login_test.go", Quote: "_ = Login(\"ada\", \"wrong\")"},
			"In the test environment the lock ends at once.":              {Path: "auth/login_test.go", Quote: "_ = Login(\"ada\", \"wrong\")"},
			"The lock of notes.json ends by configuration.":               {Path: "config/notes.json", Quote: `"note": "` + said + `"`},
			"The button ends the lock after 15 minutes.":                  {Path: "web/lock.html", Quote: `<p class="lock-ends-after">` + said + `</p>`},
			`The lock ends "after 15 minutes" for everybody.`:             {Path: "config/notes.yaml", Quote: "lock: " + said},
		} {
			m := ruled(func(string) verdictGiven {
				return verdictGiven{Verdict: met, Reason: "The author says that it is done.", Quotes: []proofGiven{q}}
			}, none)
			if got := verdictsOn(t, between(t, c.base, head, m, ticketOf(text)), Deps{}); got[0].Verdict != unclear {
				t.Errorf("%+v", got[0])
			}
		}
	})
}

// A file that is not code proves a criterion about such a file, if it comes with code.
func TestOtherFilesProveOnlyTheirOwnCriteria(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	head := enginetest.Merged(c.head, enginetest.Tree{
		"config/app.yaml":          "lock:\n  minutes: 15\n  retry_after_header: true\n",
		"config/app.json":          "{\n  \"lockMinutes\": 15,\n  \"mail\": {\"enabled\": true}\n}\n",
		"deploy/app.conf":          "proxy_read_timeout 60s;\n",
		"locales/de.json":          "{\n  \"lock.ended\": \"Die Sperre ist vorbei\",\n  \"lock.begun\": \"Sie sind gesperrt\"\n}\n",
		"locale/en.po":             "msgid \"end\"\nmsgstr \"Your account is open again\"\n",
		"web/lock.html":            "<form method=post action=/unlock>\n  <button>Unlock now</button>\n</form>\n<script>\n  setTimeout(unlock, 15 * 60 * 1000);\n</script>\n",
		"web/lock.ts":              "export const title = 'Your account is locked';\n",
		"web/lock.vue":             "<template>\n  <p v-if=\"locked\">{{ minutesUntil(lock.ends) }}</p>\n</template>\n<script>\nexport default { data: () => ({ minutes: 15 }) }\n</script>\n",
		"public/robots.txt":        "User-agent: *\nDisallow: /unlock\n",
		"CHANGELOG.md":             "- Accounts are locked for 15 minutes.\n",
		"docs/locks.md":            "Accounts are locked for 15 minutes.\n",
		".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: go test ./auth/...\n",
		"src/lock.pas":             "if Attempts > MaxAttempts then LockUser(User);\n",
	})
	for text, quotes := range map[string][]proofGiven{
		"The lock takes 15 minutes by default.":                       quoted("config/app.yaml", "lock:\n  minutes: 15"),
		"The setting lockMinutes is 15.":                              quoted("config/app.json", `"lockMinutes": 15,`),
		"Lock minutes are 15.":                                        quoted("config/app.json", `"lockMinutes": 15,`),
		"In config/app.json mails are on.":                            quoted("config/app.json", `"mail": {"enabled": true}`),
		"The proxy waits 60 seconds, as is configured.":               quoted("deploy/app.conf", "proxy_read_timeout 60s;"),
		"All messages about locks are translated to German.":          quoted("locales/de.json", "\"lock.ended\": \"Die Sperre ist vorbei\",\n  \"lock.begun\": \"Sie sind gesperrt\""),
		`The message says "Your account is open again".`:              quoted("locale/en.po", `msgstr "Your account is open again"`),
		`The title reads “Your account is locked”.`:                   quoted("web/lock.ts", "title = 'Your account is locked'"),
		"A form with a button to unlock is shown.":                    quoted("web/lock.html", "<form method=post action=/unlock>\n  <button>Unlock now</button>"),
		"The lock ends after 15 minutes.":                             quoted("web/lock.html", "setTimeout(unlock, 15 * 60 * 1000);"),
		"Who is locked out sees for how long.":                        quoted("web/lock.vue", "<p v-if=\"locked\">{{ minutesUntil(lock.ends) }}</p>"),
		"robots.txt forbids the page.":                                quoted("public/robots.txt", "User-agent: *\nDisallow: /unlock"),
		"The change log mentions the lock.":                           quoted("CHANGELOG.md", "Accounts are locked for 15 minutes."),
		"It is documented how long accounts are locked.":              quoted("docs/locks.md", "Accounts are locked for 15 minutes."),
		"The period is written in locks.md.":                          quoted("docs/locks.md", "Accounts are locked for 15 minutes."),
		"CI runs what shows the lock.":                                quoted(".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: go test ./auth/..."),
		"Too many attempts lock the account.":                         quoted("src/lock.pas", "if Attempts > MaxAttempts then LockUser(User);"),
		"Unit tests exist.":                                           quoted("auth/login_test.go", "for range maxAttempts {\n\t\t_ = Login("),
		"A second attempt is answered with the header for the retry.": append(quoted("config/app.yaml", "retry_after_header: true"), quoted("auth/login.go", "\t\treturn errLocked")...),
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := ruled(func(string) verdictGiven {
				return verdictGiven{Verdict: met, Reason: "This is where it stands.", Quotes: quotes}
			}, none)
			got := verdictsOn(t, between(t, c.base, head, m, ticketOf(text)), Deps{})
			if got[0].Verdict != met || len(got[0].Places) != len(quotes) {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

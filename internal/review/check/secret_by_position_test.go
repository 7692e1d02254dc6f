package check

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// generated is a password that a program made, chosen is one that a person made.
func generated() string { return random(901, 24) }
func chosen() string    { return "Kr1ll" + "&vex" + "3d" }

// kept are files and texts with a placeholder for a password.
var kept = [][2]string{
	{".netrc", "machine api.shop.io login deploy password %s"}, {"_netrc", "machine api.shop.io\n  login deploy\n  password %s"},
	{"ci/setup.sh", "echo 'machine api.shop.io login deploy password %s' > ~/.netrc"},
	{"Dockerfile", "FROM x:1\nENV DB_PASSWORD=%s"}, {"Dockerfile", "ENV DB_PASSWORD %s"}, {"build/Dockerfile.prod", "ARG DB_PASSWORD=%s"},
	{"Containerfile", "ENV A=1 DB_PASSWORD=%s B=2"}, {"docker-compose.yml", "    environment:\n      - DB_PASSWORD=%s"},
	{"docker-compose.yml", "    environment:\n      DB_PASSWORD: %s"}, {"k8s/app.yaml", "env:\n  - name: DB_PASSWORD\n    value: %s"},
	{"k8s/app.yaml", "env:\n  - name: \"DB_PASSWORD\"\n    value: \"%s\""}, {"task.json", `{"name": "DB_PASSWORD", "value": "%s"}`},
	{"stack.yml", "  - ParameterKey: DbPassword\n    ParameterValue: %s"}, {"main.tf", "variable \"db_password\" {\n  type = string\n  default = \"%s\"\n}"},
	{"main.tf", "  password = \"%s\""}, {"prod.tfvars", "db_password = \"%s\""}, {"app.json", `{"DB_PASSWORD": {"value": "%s"}}`},
	{"settings.xml", "<server><id>a</id><password>%s</password></server>"}, {"a.xml", "<ns:Password type=\"x\">%s</ns:Password>"},
	{"web.config", "<add key=\"DbPassword\" value=\"%s\" />"}, {"a.xml", "<entry key=\"db.password\">%s</entry>"},
	{"Info.plist", "<key>ApiPassword</key>\n<string>%s</string>"}, {"a.xml", "<bean p:password=\"%s\"/>"},
	{"web.config", "connectionString=\"Server=x;Database=y;User Id=z;Password=%s;\""}, {"a.cs", "var c = \"Server=x;User Id=z;Pwd=%s\";"},
	{"a.java", `String u = "jdbc:mysql://db.shop.io/x?user=shop&password=%s";`}, {".pypirc", "[pypi]\nusername = a\npassword = %s"},
	{".pgpass", "db.shop.io:5432:shop:shop:%s"}, {"up.sh", "echo \"db.shop.io:5432:*:shop:%s\" > ~/.pgpass"}, {"a.properties", "spring.datasource.password=%s"},
	{"a.properties", "mail.password : %s"}, {".env", "DB_PASSWORD=%s"}, {".env.production", "export SMTP_PASS=%s"}, {"a.json", `{"password": "%s"}`},
	{"a.yaml", "password: %s"}, {"a.yaml", "- db-password: '%s'"}, {"a.toml", "password = \"%s\""}, {"a.ini", "passwd = %s"}, {"redis.conf", "requirepass %s"},
	{"a.py", "DB_PASSWORD = \"%s\""}, {"a.go", "package a\n\nvar dbPassword = \"%s\""}, {"a.rb", "password: '%s'"}, {"a.php", "'password' => '%s',"},
	{"A.java", "config.setPassword(\"%s\");"}, {"up.sh", "PGPASSWORD=%s psql"}, {"up.sh", "mysql -u root -p%s shop"}, {"up.sh", "sshpass -p '%s' ssh a"},
	{"up.sh", "docker login -u ci -p %s registry.shop.io"}, {"up.sh", "app --db-password %s"}, {"up.sh", "java -Ddb.password=%s -jar a.jar"},
	{"a.service", "Environment=\"DB_PASSWORD=%s\""}, {"up.ps1", "$env:DB_PASSWORD = \"%s\""},
	{"a.py", "u = 'postgres://shop:%s@db.shop.io/x'"}, {"a.env", "URL=amqp://shop:%s@mq.shop.io"}, {"a.py", "u = 'redis://:%s@cache.shop.io:6379/0'"},
	{"a.yaml", "url: mongodb+srv://shop:%s@cluster.shop.io/x"}, {"a.sh", "git clone https://shop:%s@git.shop.io/x.git"},
	{"a.go", "package a\n\nconst d = \"shop:%s@tcp(db.shop.io:3306)/shop\""},
}

// A password is found where the syntax of a file has one, whether a program or a person made it, and
// models do not see it.
func TestPasswordsByTheirPosition(t *testing.T) {
	t.Parallel()
	for i, tt := range kept {
		t.Run(fmt.Sprint(i, " ", tt[0]), func(t *testing.T) {
			t.Parallel()
			for _, value := range []string{generated(), chosen()} {
				if strings.ContainsAny(tt[1], "@?") && strings.Contains(value, "&") { // an address escapes the sign
					value = strings.ReplaceAll(value, "&", "%26")
				}
				res := run(t, tt[0], "", fmt.Sprintf(tt[1], value)+"\n")
				if len(res.Findings) != 1 || !res.Findings[0].Secret() || strings.Contains(res.Findings[0].Anchor.Quote, value) {
					t.Errorf("%q: %s", tt[1], summary(res))
				}
				if got := res.Redactor.Text("x " + value); got == "x "+value {
					t.Errorf("%q: a model sees it", tt[1])
				}
			}
		})
	}
}

// Placeholders, references, words for people and passwords of examples fail no check at the same places.
func TestPlaceholdersAtPositionsOfPasswords(t *testing.T) {
	t.Parallel()
	for i, tt := range kept {
		t.Run(fmt.Sprint(i, " ", tt[0]), func(t *testing.T) {
			t.Parallel()
			for _, value := range []string{"${PASSWORD}", "$DB_PASSWORD", "{{password}}", "%DB_PASSWORD%", "changeme", "ChangeMe123!", "P@ssw0rd", "your-password-here",
				"<password>", "xxxxxxxxxxxx", "************", "admin1234", "Test1234!", "password", "secret123", "vault:secret/db", "Yourpassword1!", "12345678"} {
				text := fmt.Sprintf(tt[1], value) + "\n"
				for _, f := range run(t, tt[0], "", text).Findings {
					if f.Secret() {
						t.Errorf("%q: %s", text, f.RuleID)
					}
				}
			}
		})
	}
}

// A header of a request is read with its scheme.
func TestAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	basic := func(user, pass string) string { return base64.StdEncoding.EncodeToString([]byte(user + ":" + pass)) }
	for _, form := range [][2]string{{"a.go", "package a\n\nfunc f() { r.Header.Set(\"Authorization\", \"%s\") }"}, {"a.js", "const h = { Authorization: '%s' }"},
		{"a.ts", "const h = { 'Authorization': `%s` }"}, {"a.py", "h = {\"Authorization\": \"%s\"}"}, {"a.py", "r.headers['Authorization'] = '%s'"},
		{"a.http", "Authorization: %s"}, {"c.json", `{"key": "Authorization", "value": "%s"}`}, {"a.rb", "req['Authorization'] = \"%s\""}, {"up.sh", "wget --header='Authorization: %s' https://x.io"}} {
		for value, want := range map[string]bool{"Bearer " + generated(): true, "Basic " + basic("shop", chosen()): true, "token " + generated(): true,
			"Basic " + basic("user", "password"): false, "Bearer ${TOKEN}": false, "Bearer YOUR_ACCESS_TOKEN": false, "Bearer my-secret-token-1": false,
			"Basic " + basic("test", "test"): false} {
			res := run(t, form[0], "", fmt.Sprintf(form[1], value)+"\n")
			if found := len(res.Findings) == 1 && res.Findings[0].Secret(); found != want || !want && len(res.Findings) > 0 {
				t.Errorf("%s in %q: %s", value, form[1], summary(res))
			}
		}
	}
}

// Texts for people about a password are not secrets in any language. The real secret beside them is
// found.
func TestTextsAboutPasswords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`passwordLabel="Bitte-geben-Sie-ein-Kennwort-ein"`, `passwordPlaceholder: "Mindestens-8-Zeichen!"`, `passwordError: "Mot-de-passe-invalide"`,
		`tokenMessage = "El-token-no-es-válido-2"`, `"passwordHint": "Zadejte-prosím-platné-heslo"`, `"password": "Contraseña"`, `"password": "パスワード"`,
		`"password": "Wachtwoord-vergeten"`, `passwordLabel = "Geben_Sie_das_Kennwort_noch_einmal_ein"`, `secretTitle: 'Clés-privées-de-votre-équipe'`, `"passwordLabel":"Inserisci.la.tua.parola"`} {
		if got := summary(run(t, "src/a.ts", "", text+"\n")); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{`passwordLabel = "` + generated() + `"`, `passwordHint: "` + ghToken() + `"`, `password: "` + chosen() + `", passwordLabel: "Kennwort"`} {
		if res := run(t, "src/a.ts", "", text+"\n"); len(res.Findings) != 1 || !res.Findings[0].Secret() {
			t.Errorf("%s: %s", text, summary(res))
		}
	}
}

// Keys that a provider documents as public are not findings. Its secret keys are.
func TestPublicKeysOfProviders(t *testing.T) {
	t.Parallel()
	captcha := "6Lc" + random(11, 37)
	jwt := func(role string) string {
		return signedToken(`{"iss":"supabase","ref":"abc","role":"`+role+`"}`, random(3, 40))
	}
	for text, want := range map[string]string{
		`siteKey: "` + captcha + `"`: "", `RECAPTCHA_SITE_KEY = "` + captcha + `"`: "", `<div data-sitekey="` + captcha + `">`: "",
		`recaptchaSecretKey: "` + captcha + `"`: "high", `siteSecret: "` + captcha + `"`: "high", `siteKey: "` + ghToken() + `"`: "critical",
		`apiKey: "pk_live_` + random(25, 24) + `"`: "", `apiKey: "sk_` + `live_` + random(25, 24) + `"`: "critical",
		`accessToken: "pk.` + `eyJ1Ijoic2hvcCIsImEiOiJjbGFi.` + random(12, 22) + `"`: "",
		`supabaseAnonKey: "` + jwt("anon") + `"`:                                     "", `supabaseKey: "` + jwt("service_role") + `"`: "critical",
		`apiKey: "AIza` + random(14, 35) + `", authDomain: "x.firebaseapp.com"`: "low", `apiKey: "AIza` + random(14, 35) + `"`: "critical",
		`algoliaApiKey: "` + randomHex(15, 16) + `"`: "critical",
	} {
		if got := summary(run(t, "src/a.ts", "", text+"\n")); want == "" && got != "" || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
	}
}

// A password for one machine, in an example or in a test is at most a line of the summary.
func TestPasswordsOfExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{{"a.py", "postgres://user:password@localhost/x"}, {"a.py", "postgres://shop:" + chosen() + "@localhost/x"}, {"a.py", "redis://:" + generated() + "@127.0.0.1"},
		{"a.py", "https://user:pass@example.com"}, {"a.py", "amqp://guest:guest@rabbit"}, {"a.py", "mysql://shop:shop@db/shop"}, {"a.py", "http://proxyuser:proxypass@proxy:8080"},
		{"a.py", "https://me:" + generated() + "@api.example.org"}, {"tests/a.py", "postgres://shop:" + generated() + "@db.shop.io/x"}, {"docs/a.md", "https://shop:" + chosen() + "@git.shop.io"},
		{"a.py", "https://x-access-token:{token}@github.com"}, {"a.py", "postgres://%s:%s@%s/x"}, {".env.example", "postgres://shop:" + generated() + "@db.shop.io"}} {
		for _, f := range run(t, tt[0], "", "u = '"+tt[1]+"'\n").Findings {
			if f.Secret() || f.Severity.String() != "low" {
				t.Errorf("%s: %s %s", tt[1], f.RuleID, f.Severity)
			}
		}
	}
	outline := "-----BEGIN RSA " + "PRIVATE KEY-----\nREDACTED\n(the content of your key, from its first line to its last one)\n-----END RSA " + "PRIVATE KEY-----\n"
	if got := summary(run(t, "README.md", "", outline)); got != "" {
		t.Errorf("an outline of a key: %s", got)
	}
	secret := "apiVersion: v1\nkind: Secret\ndata:\n  password: %s\n"
	if got := summary(run(t, "s.yaml", "", fmt.Sprintf(secret, base64.StdEncoding.EncodeToString([]byte("mypassword"))))); got != "" {
		t.Errorf("a placeholder in base64: %s", got)
	}
	if got := summary(run(t, "s.yaml", "", fmt.Sprintf(secret, base64.StdEncoding.EncodeToString([]byte(chosen()))))); got == "" {
		t.Error("a password in base64 is not found")
	}
}

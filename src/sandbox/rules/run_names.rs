//! Files that tools run or agents obey, of which a person is warned: they may be changed after a yes.
//!
//! Nobody can list all of them; those that start a program without being asked are not written at
//! all (`rel_path`).

use std::sync::LazyLock;

use crate::rules::rel_path::Pattern;

/// Patterns of names, separated by spaces.
const RUN: &[&str] = &[
    // Builders and runners of tasks.
    "makefile* gnumakefile bsdmakefile *.mk cmakelists.txt *.cmake cmakepresets.json meson.build",
    "meson_options.txt configure configure.ac configure.in *.m4 build.ninja wscript sconstruct",
    "sconscript justfile .justfile *.just taskfile*.yml taskfile*.yaml rakefile *.rake gemfile",
    "guardfile capfile thorfile dangerfile fastfile appfile podfile brewfile procfile* vagrantfile",
    "berksfile puppetfile magefile.go earthfile tiltfile skaffold.yaml garden.yml dagger.json",
    "build.xml pom.xml *.gradle *.gradle.kts gradlew gradlew.bat gradle-wrapper.properties mvnw",
    "mvnw.cmd build.sbt *.sbt build.sc build.mill project.clj deps.edn shadow-cljs.edn build.boot",
    "build.bazel workspace.bazel module.bazel *.bzl pants.toml pants.ini",
    "xmake.lua premake*.lua sconstruct.py tup.config tupfile build.zig build.zig.zon",
    "build.rs build.fsx *.csproj *.fsproj *.vbproj *.vcxproj *.props *.targets *.sln *.slnx",
    "directory.build.* nuget.config global.json package.swift *.pbxproj *.xcscheme *.xcconfig",
    "*.podspec *.gemspec rebar.config mix.exs dune dune-project *.opam stack.yaml *.cabal",
    "setup.hs package.yaml elm.json gleam.toml rockspec *.rockspec dub.json dub.sdl shard.yml",
    "go.mod go.work cargo.toml rust-toolchain rust-toolchain.toml clippy.toml *.nimble *.nims",
    // Python.
    "setup.py setup.cfg pyproject.toml conftest.py tox.ini noxfile.py tasks.py fabfile.py dodo.py",
    "pavement.py hatch_build.py pytest.ini manage.py wsgi.py asgi.py gunicorn.conf.py pipfile",
    "requirements*.txt constraints*.txt environment*.yml .pylintrc pylintrc .flake8 mypy.ini",
    ".coveragerc conanfile.* sitecustomize.py __main__.py .python-version uv.toml pdm.toml",
    // JavaScript.
    "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml",
    "deno.json deno.jsonc bunfig.toml bower.json lerna.json nx.json turbo.json rush.json",
    "*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts *.config.json",
    "*rc.js *rc.cjs *rc.mjs *rc.ts .babelrc* .swcrc .mocharc* .nycrc* .postcssrc* .eslintrc*",
    ".prettierrc* .stylelintrc* .commitlintrc* .huskyrc* .releaserc* .puppeteerrc* tsconfig*.json",
    "jsconfig*.json gulpfile* gruntfile* karma.conf.* protractor.conf.* angular.json nodemon.json",
    "ecosystem.config.* metro.config.* capacitor.config.* electron-builder.* tslint.json",
    // PHP, Ruby, R, Julia, Perl and Lua.
    "composer.json phpunit.xml* phpstan.neon* psalm.xml .php-cs-fixer* rector.php artisan",
    ".rspec spec_helper.rb rails_helper.rb .rubocop.yml config.ru .simplecov",
    "_targets.r project.toml makefile.pl build.pl cpanfile .perlcriticrc .luacheckrc .busted",
    // Containers, machines and clouds.
    "*dockerfile* containerfile* *.containerfile compose*.yml compose*.yaml docker-compose*",
    "docker-bake.* .dockerignore .s2i chart.yaml values*.yaml helmfile* kustomization.y*ml",
    "*.tf *.tfvars *.tf.json *.hcl *.nomad pulumi*.yaml serverless*.yml serverless*.yaml sam.yaml",
    "template.yaml cdk.json ansible.cfg playbook*.yml site.yml *.pkr.hcl cloud-init* user-data",
    "app.yaml app.json fly.toml vercel.json netlify.toml render.yaml railway.* wrangler.* now.json",
    "firebase.json amplify.yml buildspec*.yml cloudbuild*.yaml appspec.yml .platform* heroku.yml",
    "*.service *.timer *.socket *.desktop *.plist crontab *.cron *.rules supervisord.conf",
    // Nix and other environments.
    "*.nix flake.lock devbox.json guix.scm manifest.scm channels.scm .tool-versions .sdkmanrc",
    ".nvmrc .node-version .ruby-version .java-version .terraform-version .env .env.* .replit",
    "replit.nix .gitpod.yml .gitpod.dockerfile shell.* devenv.*",
    // Services that build, and hooks.
    "*.gitlab-ci.yml bitbucket-pipelines.yml appveyor.yml .appveyor.yml .cirrus.* codemagic.yaml",
    "bitrise.yml wercker.yml .semaphore .teamcity concourse*.yml .build.yml .builds .screwdriver*",
    ".github/*.yml .github/*.yaml .github/codeowners renovate.json* .renovaterc* dependabot.yml .gitattributes .mailmap .overcommit.yml",
    "lint-staged.config.* commitlint.config.* .pre-commit-hooks.yaml .gitlint codecov.yml",
    // Scripts, macros and what editors and interpreters read.
    "*.sh *.bash *.zsh *.fish *.ksh *.ps1 *.psm1 *.bat *.cmd *.vbs *.applescript *.command",
    ".editorconfig .vim* .nvim* init.lua init.vim init.el *.sublime-project *.code-snippets",
    ".ghci .iex.exs .pdbrc .ipython .jupyter *.ipynb .octaverc .sbclrc .guile .luarc.json .clangd",
    "compile_flags.txt compile_commands.json .clang-tidy .bzrignore .ackrc .ctags* .tmux.conf",
    ".screenrc .curlrc .wgetrc .ansible* .terraformrc .kube .aws .docker .gnuplot .latexmkrc",
    // Agents and what they obey.
    "*.mdc skill.md mcp.json mcp*.json .mcp* *.prompt.md *.instructions.md",
    "*.chatmode.md *.agent.md agent.md agents.*.md warp.md conventions.md llms.txt llms-full.txt",
    "copilot-instructions.md .kilocode* .devin .openhands .qoder .rovodev .tabnine* .codeium",
    ".sourcegraph .continueignore .zencoder .superdesign .factoryai .playbooks .ruler .agentignore",
    "replit.md openhands_config* litellm* .crewai jules.md codex.md cursor.md devin.md memory.md",
];

static ALL: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    RUN.iter().flat_map(|names| names.split(' ')).filter_map(Pattern::parse).collect()
});

/// Returns the patterns of files that tools run or agents obey.
pub(crate) fn all() -> &'static [Pattern] {
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rel_path::RelPath;

    fn is_run(path: &str) -> bool {
        RelPath::parse(path).unwrap().matched(all()).is_some()
    }

    #[test]
    fn names_of_files_that_tools_run_are_known_in_any_directory_and_case() {
        let run = "Makefile justfile Taskfile.yml package.json pyproject.toml setup.py conftest.py tox.ini noxfile.py build.rs \
                   build.gradle gradlew CMakeLists.txt flake.nix shell.nix devenv.nix Dockerfile compose.yaml Vagrantfile \
                   vite.config.js .eslintrc.js .pylintrc .tool-versions .replit .kilocode/rules .devin/x .openhands/x .qoder/x \
                   .rovodev/x SKILL.md mcp.json app.Dockerfile deploy.sh";
        for name in run.split_whitespace() {
            assert!(is_run(name) && is_run(&format!("a/b/{}", name.to_uppercase())), "{name}");
        }
        for name in "main.py src/lib.rs README.md notes.txt data.csv index.html a/b/c.go style.css"
            .split(' ')
        {
            assert!(!is_run(name), "{name}");
        }
    }
}
